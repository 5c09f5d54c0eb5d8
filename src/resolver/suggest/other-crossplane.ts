import type { Proposal, SuggestionContext } from './proposal.js';
import {
  ownershipKey,
  type OwnedKind,
  type OwnedObject,
} from '../../crossplane/packages/owned-objects.js';
import type { PackageKind } from '../../crossplane/packages/package.js';
import { groupByRules } from '../../crossplane/releases/target-choice.js';
import { otherReleases } from '../../crossplane/releases/target.js';
import { type Proof, proofFacts } from '../solver/search-result.js';
import type { Subjects } from '../solver/encoder-context.js';
import type { Fact, Term } from '../solver/incompatibility.js';

/** Objects that every release installs from a package of the kind. */
const ALWAYS_INSTALLED: Readonly<Partial<Record<PackageKind, readonly OwnedKind[]>>> = {
  Provider: ['CRD'],
  Configuration: ['XRD', 'claim', 'Composition'],
};

/** Maximum number of objects of a package that are searched for in its other versions. */
const MAX_OBJECTS_COMPARED = 100;

/** Proposes the nearest other Crossplane releases, newer ones first. */
export function* otherCrossplane(context: SuggestionContext): Generator<Proposal> {
  const { targets, problemFor, proof } = context;
  if (!proofFacts(proof).some((fact) => dependsOnRelease(fact, proof))) return;
  for (const group of groupByRules(otherReleases(targets[0]!))) {
    const problem = problemFor(group);
    if (problem === undefined) continue;
    yield {
      goal: 'another Crossplane',
      targets: group,
      problem,
      describe: ({ release }) => {
        const { version } = group[release]!;
        return {
          text: `resolve for Crossplane ${version}`,
          edits: [{ edit: 'crossplane', version }],
          notes: [`the cluster must run Crossplane ${version}`],
        };
      },
    };
  }
}

/** Returns whether a fact may be false on another release. */
function dependsOnRelease(fact: Fact, { subjects }: Proof): boolean {
  if (fact.fact === 'crossplane' || fact.fact === 'rejected') return true;
  if (fact.fact !== 'owns') return false;
  const installed = commonObjects(fact.one, subjects);
  return commonObjects(fact.other, subjects, installed).size === 0;
}

/** Returns keys, only those in `among`, of objects that every release installs from all versions. */
function commonObjects(
  { variable, values }: Term,
  subjects: Subjects,
  among?: ReadonlySet<string>,
): ReadonlySet<string> {
  const subject = subjects.subject(variable);
  if (subject.about !== 'package') return new Set();
  let common = among;
  const seen = new Map<readonly OwnedObject[], PackageKind>();
  for (const [value, { kind, owns }] of subject.metas) {
    // Versions that own the same objects share one list.
    if (!values.has(value) || seen.get(owns) === kind) continue;
    seen.set(owns, kind);
    const objects = owns.filter((object) => ALWAYS_INSTALLED[kind]?.includes(object.kind));
    // One common object is enough, so a few are compared.
    const compared = common === undefined ? objects.slice(0, MAX_OBJECTS_COMPARED) : objects;
    const keys = compared.map(ownershipKey);
    common = new Set(keys.filter((key) => common?.has(key) ?? true));
  }
  return common ?? new Set();
}
