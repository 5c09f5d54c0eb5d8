import { isDigest, sha256 } from '../../../src/base/digest.js';
import { blobOf, OCI_MANIFEST } from './image.js';
import { send, type Fault, type LoggedRequest, type Registry } from './registry.js';

export interface PushSideOptions {
  /** The address for uploads; the default is below the registry. */
  readonly location?: string;
  /** Whether requests without authorization are left to the registry, which sends a challenge. */
  readonly authorized?: boolean;
}

/** Makes a registry accept uploads: the push part of the distribution spec. */
export function pushSide(options: PushSideOptions = {}): Fault {
  return (request, response, registry) => {
    if (request.method !== 'POST' && request.method !== 'PUT') return false;
    if (options.authorized === true && request.authorization === undefined) return false;
    const url = new URL(request.path, `http://${registry.host}`);
    const [, path, what, reference] =
      /^\/v2\/(.+)\/(blobs\/uploads|manifests)\/([^/]*)$/.exec(url.pathname) ?? [];
    if (path === undefined) return false;
    if (request.method === 'POST') {
      const location = options.location ?? `/v2/${path}/blobs/uploads/some-id?_state=a%2Fb%3D`;
      response.setHeader('Location', location);
      send(response, 202, '');
      return true;
    }
    const stored = what === 'manifests' ? manifest : blob;
    send(response, stored(registry, path, { request, url, reference: reference! }), '');
    return true;
  };
}

interface Put {
  readonly request: LoggedRequest;
  readonly url: URL;
  readonly reference: string;
}

function blob(registry: Registry, path: string, { request, url }: Put): number {
  const held = blobOf(request.bytes);
  const kept = url.searchParams.get('_state') === 'a/b=';
  if (held.digest !== url.searchParams.get('digest') || !kept) return 400;
  const nothing = { digest: '', bytes: Buffer.alloc(0), mediaType: '', manifests: [] };
  registry.push(path, undefined, { ...nothing, blobs: [held] });
  return 201;
}

function manifest(registry: Registry, path: string, { request, reference }: Put): number {
  const { bytes } = request;
  const { mediaType = OCI_MANIFEST } = JSON.parse(request.body) as { mediaType?: string };
  const image = { digest: sha256(bytes), bytes, mediaType, manifests: [], blobs: [] };
  registry.push(path, isDigest(reference) ? undefined : reference, image);
  return 201;
}
