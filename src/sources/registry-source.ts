import { pullSecretFor, rewrittenImage, type ImageConfig } from '../model/image-config.js';
import { DOCKER_HUB, joinReference, parseReference, type Reference } from '../model/reference.js';
import type { Target } from '../model/target.js';
import { mayBePlainHttp } from '../oci/address-class.js';
import { firstOf, type CredentialStore } from '../oci/credentials.js';
import type { ImageRepository } from '../oci/image-repository.js';
import type { RemoteName } from '../oci/registry-session.js';
import { remembering } from '../oci/remembering.js';
import type { ImageHolder } from './image-holder.js';
import { fetchImage } from './image-package.js';
import type { ParsedPackages } from './parsed-packages.js';

/** Opens repositories at registries; nothing is asked yet. */
export interface ImageRepositories {
  repository(name: RemoteName): ImageRepository;
}

export interface RegistrySourceOptions {
  readonly client: ImageRepositories;
  readonly credentials: CredentialStore;
  /** Hosts that may speak plain HTTP because the user says so. */
  readonly insecure?: ReadonlySet<string> | undefined;
  readonly imageConfigs?: readonly ImageConfig[] | undefined;
  /** By name of the Secret, for ImageConfigs that name one. */
  readonly pullSecrets?: ReadonlyMap<string, CredentialStore> | undefined;
  /** What earlier runs made of images. */
  readonly parsed?: ParsedPackages | undefined;
}

/** Packages from the registries that their names, or ImageConfigs, point to. */
export function registrySource(options: RegistrySourceOptions): ImageHolder {
  const places = new Map<string, ImageRepository>();
  const storeFor = memoizedStores(options);
  const at = (image: string, target: Target) => {
    const place = placeOf(image, options.imageConfigs ?? [], target);
    if (place === undefined) return undefined;
    const { reference, secret } = place;
    const plainHttp = mayBePlainHttp(reference.registry, {
      dotLocal: target.rules.plainHttpForDotLocal,
      insecure: options.insecure ?? new Set(),
    });
    const key = JSON.stringify([reference.name, plainHttp, secret]);
    const repository =
      places.get(key) ??
      remembering(
        options.client.repository({
          host: reference.registry,
          path: reference.path,
          plainHttp,
          credentials: storeFor(secret),
        }),
      );
    places.set(key, repository);
    return { repository, identifier: reference.identifier };
  };
  return {
    tags: async (repository, target) => at(repository, target)?.repository.tags(),
    fetch: async ({ repository, version }, target) => {
      const place = at(joinReference(repository, version), target);
      return place && fetchImage(place.repository, place.identifier, target, options.parsed);
    },
    images: async ({ repository, version }, target) =>
      at(joinReference(repository, version), target)?.repository,
  };
}

interface Place {
  readonly reference: Reference;
  /** Name of the Secret an ImageConfig wants used. */
  readonly secret: string | undefined;
}

/** undefined: no registry could have such an image. */
function placeOf(
  image: string,
  configs: readonly ImageConfig[],
  target: Target,
): Place | undefined {
  const pulled = rewrittenImage(image, configs, target);
  const { defaultRegistry = DOCKER_HUB, emptyTagIsLatest } = target.rules;
  const reference = parseReference(pulled, { defaultRegistry, emptyTagIsLatest });
  return reference && { reference, secret: pullSecretFor(pulled, configs, target) };
}

/** A named Secret goes before what the machine has; one that was not given is passed over. */
function memoizedStores({ credentials, pullSecrets }: RegistrySourceOptions) {
  const stores = new Map<string, CredentialStore>();
  return (secret: string | undefined): CredentialStore => {
    const named = secret === undefined ? undefined : pullSecrets?.get(secret);
    if (secret === undefined || named === undefined) return credentials;
    const store = stores.get(secret) ?? firstOf([named, credentials]);
    stores.set(secret, store);
    return store;
  };
}
