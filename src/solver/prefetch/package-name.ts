import type { Repository } from '../../model/package.js';

/** `provider-helm` of `xpkg.upbound.io/upbound/provider-helm`. */
export function packageName(repository: Repository): string {
  return repository.slice(repository.lastIndexOf('/') + 1);
}
