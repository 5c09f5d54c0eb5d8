import type { Candidate, Repository } from '../../model/package.js';
import type { PackageSubject } from '../encoder/subject.js';
import { likelyKind } from './likely-kind.js';
import { packageName } from './package-name.js';

/** A package that waits for its decision, and the version it would be decided on now. */
export interface Prospect {
  readonly subject: PackageSubject;
  readonly value: number;
  /** No other version is left. */
  readonly certain: boolean;
}

/**
 * Of packages in the order of their decisions, the versions that will be read: those that nothing
 * before them can rule out any more, short of a conflict.
 *
 * What an unread package requires is not known, so this counts on habits. A provider of a family
 * (`provider-aws-s3`) requires at most the provider that holds the family's credentials; a function
 * requires nothing; any other package may require anything. Where a package does otherwise, a
 * version may be read that is not in the answer.
 */
export function prefetchable(prospects: Iterable<Prospect>): Candidate[] {
  const candidates: Candidate[] = [];
  const ahead = new Ahead();
  for (const { subject, value, certain } of prospects) {
    if (!subject.read.has(value) && (certain || !ahead.mayNarrow(subject))) {
      candidates.push({ repository: subject.repository, version: subject.versions.label(value) });
    }
    ahead.add(subject, value);
  }
  return candidates;
}

/** The packages decided before another, and what their requirements may do to it. */
class Ahead {
  #anything = false;
  #families = false;
  readonly #required = new Set<Repository>();

  add(subject: PackageSubject, value: number): void {
    if (subject.read.has(value)) {
      for (const requirement of subject.metas.get(value)?.requirements ?? []) {
        if (requirement.requires === 'package') this.#required.add(requirement.repository);
      }
      return;
    }
    const kind = likelyKind(subject);
    if (kind === 'Function') return;
    if (kind === 'Provider' && MEMBER.test(packageName(subject.repository))) this.#families = true;
    else this.#anything = true;
  }

  mayNarrow({ repository }: PackageSubject): boolean {
    if (this.#anything || this.#required.has(repository)) return true;
    return this.#families && FAMILY.test(packageName(repository));
  }
}

/** `provider-aws-s3`. */
const MEMBER = /^provider-[^-]+-./;
/** `provider-family-aws`; before there were families, `provider-aws-config`. */
const FAMILY = /family|-config$/;
