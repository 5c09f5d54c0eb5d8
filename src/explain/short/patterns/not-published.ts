import type { Term } from '../../../solver/incompatibility.js';
import { conjugated } from '../../sentences/verb.js';
import type { NounPhrases } from '../../sentences/noun-phrases.js';

/** That versions do not exist; one that the lockfile holds was there, and has been withdrawn. */
export function notPublished(
  { variable, values }: Term,
  isMany: boolean,
  nouns: NounPhrases,
): string {
  const { repository, versions } = nouns.package({ variable, values });
  const locked = nouns.problem.locked.get(repository);
  const labels = versions
    .all()
    .filter((value) => values.has(value))
    .map((value) => versions.label(value));
  if (labels.length === 1 && labels[0] === locked) {
    return 'was withdrawn: the lockfile has it, and it is no longer published';
  }
  return `${conjugated('be', isMany)} not published`;
}
