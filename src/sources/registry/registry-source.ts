import type { ImageConfig } from '../../model/cluster/image-config.js';
import type { Candidate, Repository } from '../../model/package.js';
import { joinReference } from '../../model/reference.js';
import { SourceError } from '../../model/source-error.js';
import type { Target } from '../../model/target/target.js';
import { mayBePlainHttp } from '../../registry/transport/address-class.js';
import { firstOf, type CredentialStore } from '../../registry/auth/credentials.js';
import { askingAhead, expectManifest } from '../image/ask-ahead.js';
import { copyBlob } from '../../image/layer/copy-blob.js';
import { imageDate } from '../../image/date/image-date.js';
import { openBlob } from '../../image/layer/open-blob.js';
import type { ImageRepository } from '../../image/image-repository.js';
import type { RemoteName } from '../../registry/session.js';
import { memoizedRepository } from '../../store/memoized-repository.js';
import type { ImageHolder } from '../image/image-holder.js';
import { fetchImage } from '../image/fetch-image.js';
import { withImageConfig, imagePlace, rewriteNote, type ImagePlace } from './image-place.js';
import type { ParsedPackages } from '../image/parsed-packages.js';

/** Opens repositories at registries, without a request. */
export interface ImageRepositories {
  repository(name: RemoteName): ImageRepository;
}

interface RegistrySourceOptions {
  readonly client: ImageRepositories;
  readonly credentials: CredentialStore;
  /** Hosts for which the user allows plain HTTP. */
  readonly insecure?: ReadonlySet<string> | undefined;
  readonly imageConfigs?: readonly ImageConfig[] | undefined;
  /** By name of the Secret, for ImageConfigs that name one. */
  readonly pullSecrets?: ReadonlyMap<string, CredentialStore> | undefined;
  /** Packages that earlier runs have parsed. */
  readonly parsed?: ParsedPackages | undefined;
  /** Called once for each repository that is missing where an ImageConfig points. */
  readonly note?: ((line: string) => void) | undefined;
}

/** Packages from the registries that their names, or ImageConfigs, point to. */
export function registrySource(options: RegistrySourceOptions): ImageHolder {
  const { imageConfigs = [], insecure = new Set(), pullSecrets = new Map(), parsed } = options;
  const opened = new Map<string, ImageRepository>();
  const storeFor = memoizedStores(options);
  const open = ({ reference, secret }: ImagePlace, { rules }: Target) => {
    const { registry: host, path } = reference;
    const plainHttp = mayBePlainHttp(host, { dotLocal: rules.plainHttpForDotLocal, insecure });
    const credentials = storeFor(secret?.name);
    const key = JSON.stringify([reference.name, plainHttp, secret?.name]);
    const known =
      opened.get(key) ??
      memoizedRepository(options.client.repository({ host, path, plainHttp, credentials }));
    opened.set(key, known);
    return known;
  };
  const lost = new Set<Repository>();
  /** Waits for an answer; notes and failures name the ImageConfigs involved. */
  const ask = async <T>(place: ImagePlace, repository: Repository, answer: Promise<T>) => {
    try {
      const found = await answer;
      const note = found === undefined && !lost.has(repository) ? rewriteNote(place) : undefined;
      if (note !== undefined) {
        lost.add(repository);
        options.note?.(note);
      }
      return found;
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      throw withImageConfig(error, place, (secret) => pullSecrets.has(secret));
    }
  };
  /** Puts a question about one version to the place that its image is at. */
  const asked = async <T>(
    { repository, version }: Candidate,
    target: Target,
    put: (images: ImageRepository, reference: string) => Promise<T>,
  ) => {
    const place = imagePlace(joinReference(repository, version), imageConfigs, target);
    if (place === undefined) return undefined;
    const { identifier } = place.reference;
    return ask(place, repository, put(open(place, target), identifier));
  };
  return {
    distant: true,
    tags: async (repository, target) => {
      const place = imagePlace(repository, imageConfigs, target);
      return place && ask(place, repository, open(place, target).tags());
    },
    fetch: (candidate, target) =>
      asked(candidate, target, (images, reference) =>
        askingAhead({ images, reference, parts: candidate.parts }, () =>
          fetchImage(images, reference, target, parsed),
        ),
      ),
    released: (candidate, target) =>
      asked(candidate, target, (images, reference) => imageDate(images, reference, target.rules)),
    images: async ({ repository, version, parts }, target) => {
      const place = imagePlace(joinReference(repository, version), imageConfigs, target);
      if (place === undefined) return undefined;
      const images = open(place, target);
      expectManifest(images, parts?.manifest);
      return {
        name: images.name,
        partial: images.partial,
        tags: () => ask(place, repository, images.tags()),
        manifest: (reference) => ask(place, repository, images.manifest(reference)),
        pointsAt:
          images.pointsAt &&
          ((reference, digest) => ask(place, repository, images.pointsAt!(reference, digest))),
        referrers:
          images.referrers && ((digest) => ask(place, repository, images.referrers!(digest))),
        blob: (descriptor) => ask(place, repository, images.blob(descriptor)),
        copyBlob: (descriptor, to) => ask(place, repository, copyBlob(images, descriptor, to)),
        openBlob: (descriptor) => ask(place, repository, openBlob(images, descriptor)),
      };
    },
  };
}

/** Looks in the named Secret first, if it was given, then in the credentials of the machine. */
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
