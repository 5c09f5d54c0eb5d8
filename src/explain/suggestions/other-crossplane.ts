import { ownershipKey, type OwnedKind, type OwnedObject } from '../../model/owned-object.js';
import type { PackageKind } from '../../model/package.js';
import { groupByRules } from '../../model/target/target-choice.js';
import { otherReleases } from '../../model/target/target.js';
import type { Encoder } from '../../solver/encoder/encoder.js';
import type { Fact } from '../../solver/fact.js';
import type { Term } from '../../solver/incompatibility.js';
import type { Proof } from '../../solver/search-result.js';
import { proofFacts } from '../proof-facts.js';
import type { Proposal, Stuck } from './proposal.js';

/** What every release installs of a package of that kind. */
const ALWAYS_INSTALLED: Readonly<Partial<Record<PackageKind, readonly OwnedKind[]>>> = {
  Provider: ['CRD'],
  Configuration: ['XRD', 'claim', 'Composition'],
};

/** How many objects of a package are looked for in its other versions. */
const MAX_OBJECTS_COMPARED = 100;

/** The nearest other Crossplane that would do: newer ones first. */
export function* otherCrossplane({ targets, problemFor, proof }: Stuck): Generator<Proposal> {
  if (!proofFacts(proof).some((fact) => dependsOnRelease(fact, proof))) return;
  for (const group of groupByRules(otherReleases(targets[0]!))) {
    const problem = problemFor(group);
    if (problem === undefined) continue;
    yield {
      end: 'another Crossplane',
      targets: group,
      problem,
      put: ({ release }) => {
        const { version } = group[release]!;
        return {
          text: `resolve for Crossplane ${version}`,
          edits: [{ edit: 'crossplane', version }],
        };
      },
    };
  }
}

/** Whether a fact may not hold on another release. */
function dependsOnRelease(fact: Fact, { encoder }: Proof): boolean {
  if (fact.fact === 'crossplane' || fact.fact === 'rejected') return true;
  if (fact.fact !== 'owns') return false;
  const lasting = lastingObjects(fact.one, encoder);
  return lastingObjects(fact.other, encoder, lasting).size === 0;
}

/** Some of what all of these versions of a package own on every release, among what is given. */
function lastingObjects(
  { variable, values }: Term,
  encoder: Encoder,
  among?: ReadonlySet<string>,
): ReadonlySet<string> {
  const subject = encoder.subject(variable);
  if (subject.about !== 'package') return new Set();
  let common = among;
  const seen = new Map<readonly OwnedObject[], PackageKind>();
  for (const [value, { kind, owns }] of subject.metas) {
    // Versions that own the same have one list.
    if (!values.has(value) || seen.get(owns) === kind) continue;
    seen.set(owns, kind);
    const objects = owns.filter((object) => ALWAYS_INSTALLED[kind]?.includes(object.kind));
    // One object in common is enough, so a few are looked at.
    const few = common === undefined ? objects.slice(0, MAX_OBJECTS_COMPARED) : objects;
    const keys = few.map(ownershipKey);
    common = new Set(keys.filter((key) => common?.has(key) ?? true));
  }
  return common ?? new Set();
}
