import type { PackageKind } from '../../model/package.js';
import type { PackageSubject } from '../encoder/subject.js';
import { packageName } from './package-name.js';

/** The kind that every requirement of it names; else the kind that its name suggests. */
export function likelyKind({ expectedKinds, repository }: PackageSubject): PackageKind | undefined {
  const kinds = new Set([...expectedKinds.values()].map(({ kind }) => kind));
  if (kinds.size === 1) return [...kinds][0];
  const name = packageName(repository);
  if (name.startsWith('provider-')) return 'Provider';
  return name.startsWith('function-') ? 'Function' : undefined;
}
