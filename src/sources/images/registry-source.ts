import { fetchImage, imageDate, type ImageSource, type ParsedPackages } from './fetch-image.js';
import { getOrCreate } from '../../base/collections.js';
import type { Digest } from '../../base/digest.js';
import { formatOrigin, InputError, SourceError } from '../../base/errors.js';
import {
  type ImageConfig,
  pullSecretFor,
  rewrittenImage,
} from '../../crossplane/package-manager/image-config.js';
import type { Candidate, LockedParts, Repository } from '../../crossplane/packages/package.js';
import { DOCKER_HUB, joinReference, parseReference } from '../../crossplane/packages/reference.js';
import type { ReleaseRules } from '../../crossplane/releases/release-facts.js';
import { copyBlob, type ImageRepository, openBlob } from '../../oci/image/image-repository.js';
import { isPlainHttpAllowed } from '../../oci/registry/address-rules.js';
import { type CredentialStore, combinedCredentials } from '../../oci/registry/credentials.js';
import type { RemoteName } from '../../oci/registry/session.js';
import { onceReadRepository, TagBudget } from '../../oci/store/memoized-repository.js';

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
  /** Stores by Secret name, for ImageConfigs that name a Secret. */
  readonly pullSecrets?: ReadonlyMap<string, CredentialStore> | undefined;
  readonly parsed?: ParsedPackages | undefined;
  /** Called once for each repository that is missing where an ImageConfig points. */
  readonly note?: ((line: string) => void) | undefined;
}

/** Returns a source for packages at the registries that their names or ImageConfigs point to. */
export function registrySource(options: RegistrySourceOptions): ImageSource {
  const { imageConfigs = [], insecure = new Set(), parsed } = options;
  const pullSecrets: ReadonlyMap<string, CredentialStore> = options.pullSecrets ?? new Map();
  const opened = new Map<string, ImageRepository>();
  const tagBudget = new TagBudget();
  const stores = new Map<string, CredentialStore>();
  /** Uses the named Secret, if given, before the machine's credentials. */
  const storeFor = (secret: string | undefined) => {
    const named = secret === undefined ? undefined : pullSecrets.get(secret);
    if (secret === undefined || named === undefined) return options.credentials;
    return getOrCreate(stores, secret, () => combinedCredentials([named, options.credentials]));
  };
  const open = ({ reference, secret }: ImageLocation, { rules }: ReleaseRules) => {
    const { registry: host, path } = reference;
    const plainHttp = isPlainHttpAllowed(host, { dotLocal: rules.plainHttpForDotLocal, insecure });
    const credentials = storeFor(secret?.name);
    const key = JSON.stringify([reference.name, plainHttp, secret?.name]);
    return getOrCreate(opened, key, () =>
      onceReadRepository(
        options.client.repository({ host, path, plainHttp, credentials }),
        tagBudget,
      ),
    );
  };
  const noted = new Set<Repository>();
  /** Awaits a result. Notes and errors name the ImageConfigs involved. */
  const annotated = async <T>(place: ImageLocation, repository: Repository, answer: Promise<T>) => {
    try {
      const found = await answer;
      const note = found === undefined && !noted.has(repository) ? rewriteNote(place) : undefined;
      if (note !== undefined) {
        noted.add(repository);
        options.note?.(note);
      }
      return found;
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      throw withImageConfig(error, place, (secret) => pullSecrets.has(secret));
    }
  };
  const query = async <T>(
    { repository, version }: Candidate,
    target: ReleaseRules,
    read: (images: ImageRepository, reference: string) => Promise<T>,
  ) => {
    const place = imageLocation(joinReference(repository, version), imageConfigs, target);
    if (place === undefined) return undefined;
    const { identifier } = place.reference;
    return annotated(place, repository, read(open(place, target), identifier));
  };
  return {
    distant: true,
    tags: async (repository, target) => {
      const place = imageLocation(repository, imageConfigs, target);
      return place && annotated(place, repository, open(place, target).tags());
    },
    fetch: (candidate, target) =>
      query(candidate, target, (images, reference) =>
        withPrefetch(images, reference, candidate.parts, () =>
          fetchImage(images, reference, target, parsed),
        ),
      ),
    released: (candidate, target) =>
      query(candidate, target, (images, reference) => imageDate(images, reference, target.rules)),
    images: async ({ repository, version, parts }, target) => {
      const place = imageLocation(joinReference(repository, version), imageConfigs, target);
      if (place === undefined) return undefined;
      const images = open(place, target);
      const named = <T>(answer: Promise<T>) => annotated(place, repository, answer);
      prefetchManifest(images, parts?.manifest);
      return {
        name: images.name,
        partial: images.partial,
        tags: () => named(images.tags()),
        manifest: (reference) => named(images.manifest(reference)),
        pointsAt:
          images.pointsAt && ((reference, digest) => named(images.pointsAt!(reference, digest))),
        referrers: images.referrers && ((digest) => named(images.referrers!(digest))),
        blob: (descriptor) => named(images.blob(descriptor)),
        copyBlob: (descriptor, to) => named(copyBlob(images, descriptor, to)),
        openBlob: (descriptor) => named(openBlob(images, descriptor)),
      };
    },
  };
}

/** Where an image is pulled from, and which ImageConfigs define that. */
type ImageLocation = NonNullable<ReturnType<typeof imageLocation>>;

/** Returns where the target pulls an image from, or undefined if it is not a valid reference. */
export function imageLocation(
  original: string,
  configs: readonly ImageConfig[],
  target: ReleaseRules,
) {
  const { image, rewrittenBy } = rewrittenImage(original, configs, target);
  const { defaultRegistry = DOCKER_HUB, emptyTagIsLatest } = target.rules;
  const parse = (text: string) => parseReference(text, { defaultRegistry, emptyTagIsLatest });
  const reference = parse(image);
  if (reference !== undefined) {
    return { original, reference, rewrittenBy, secret: pullSecretFor(image, configs, target) };
  }
  if (rewrittenBy === undefined || parse(original) === undefined) return undefined;
  throw new InputError(
    `ImageConfig \`${rewrittenBy.name}\` makes \`${image}\` of \`${original}\`, which is not an image reference`,
    {
      origin: rewrittenBy.origin,
      hint: 'correct its `spec.rewriteImage.prefix`: a path has `a-z`, `0-9`, `_`, `.`, `/` and `-` only',
    },
  );
}

function rewriteNote({ original, reference, rewrittenBy }: ImageLocation): string | undefined {
  if (rewrittenBy === undefined) return undefined;
  return `${original} was looked for as \`${reference.text}\`, because of ${shownConfig(rewrittenBy)}, and is not there`;
}

/** Adds the original image and the ImageConfigs involved to an error. */
function withImageConfig(
  error: SourceError,
  { original, rewrittenBy, secret }: ImageLocation,
  isGiven: (secret: string) => boolean,
): SourceError {
  const { code, message, hint } = error;
  const subject = rewrittenBy && `${original}, rewritten by ${shownConfig(rewrittenBy)}`;
  const located =
    subject === undefined ? error : new SourceError(code, subject, message, { cause: error, hint });
  if (code !== 'UNAUTHORIZED' || secret === undefined || isGiven(secret.name)) return located;
  return located.advising(
    `${shownConfig(secret.namedBy)} names the Secret \`${secret.name}\`, which was not given: give a file that holds it with \`--pull-secret\``,
  );
}

function shownConfig({ name, origin }: ImageConfig): string {
  return `ImageConfig \`${name}\` (${formatOrigin(origin)})`;
}

/** Reads an image and prefetches the parts that the lockfile has, to save round trips. */
async function withPrefetch<T>(
  images: ImageRepository,
  reference: string,
  parts: LockedParts | undefined,
  read: () => Promise<T>,
): Promise<T> {
  if (parts === undefined) return read();
  const { digest, manifest, baseLayer } = parts;
  const prefetchAbort = new AbortController();
  void images.manifest(reference).then(
    (found) => found?.digest === digest || prefetchAbort.abort(),
    () => prefetchAbort.abort(),
  );
  prefetchManifest(images, manifest);
  const prefetching = baseLayer && images.prefetchBlob?.(baseLayer, prefetchAbort.signal);
  try {
    return await read();
  } finally {
    prefetchAbort.abort();
    await prefetching;
  }
}

/** Prefetches the manifest of an image. A failure is reported when it is read. */
function prefetchManifest(images: ImageRepository, manifest: Digest | undefined): void {
  if (manifest !== undefined) void images.manifest(manifest).catch(() => undefined);
}
