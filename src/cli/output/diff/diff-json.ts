import { DIFF_SEVERITIES } from '../../../compare/severity.js';
import type { PackageChange } from '../../../compare/package-changes.js';
import { PACKAGE_KINDS } from '../../../model/package.js';
import { OWNED_KINDS } from '../../../model/owned-object.js';
import type { Diff, ObjectChange } from '../../../usecases/diff/diff.js';
import type { DiffFinding } from '../../../usecases/diff/diff-finding.js';
import { jsonDocument } from '../json-document.js';
import { notes, source, version } from '../schemas/fields.js';
import { count, list, oneOf, outputSchema, record, text } from '../schemas/parts.js';

/** Everything that two sets differ in, findings worst first. */
export function diffJson(
  { packages, objects, findings, omitted, notes: told }: Diff,
  shown: { readonly old: string; readonly new: string },
): string {
  return jsonDocument({
    ...shown,
    packages: {
      added: packages.added.map((change) => ({ ...ends(change).to!, ...wanted(change) })),
      removed: packages.removed.map((change) => ({ ...ends(change).from!, ...wanted(change) })),
      moved: packages.moved.map(({ repository, from, to, ...change }) => ({
        source: repository,
        from,
        to,
        fromDigest: change.before?.digest,
        toDigest: change.after?.digest,
        ...wanted(change),
      })),
    },
    objects: objects.map(objectJson),
    findings: findings.map(findingJson),
    omitted,
    notes: told,
  });
}

const end = (locked: PackageChange['before']) =>
  locked && { source: locked.repository, version: locked.version, digest: locked.digest };

function ends({ before, after }: PackageChange) {
  return { from: end(before), to: end(after) };
}

function wanted({ wantedBy }: Pick<PackageChange, 'wantedBy'>) {
  return {
    wantedBy: wantedBy.map((want) =>
      want.by === 'user'
        ? { user: true }
        : { source: want.repository, version: want.version, constraint: want.constraint },
    ),
  };
}

function objectJson(object: ObjectChange) {
  const { kind, name, change } = object;
  if (object.change === 'schema') return { kind, name, change };
  const { before, after } = object;
  return { kind, name, change, from: before?.repository, to: after?.repository };
}

function findingJson(finding: DiffFinding) {
  return {
    kind: finding.object.kind,
    object: finding.object.name,
    claim: finding.claim,
    version: finding.version,
    path: finding.path,
    rule: finding.rule,
    severity: finding.severity,
    text: finding.text,
    from: placeJson(finding.before),
    to: placeJson(finding.after),
  };
}

function placeJson(place: DiffFinding['before']) {
  return place && { source: place.repository, version: place.version, line: place.line };
}

const severity = oneOf(
  DIFF_SEVERITIES,
  'What it does at worst: `stored` objects lose data or are refused, `writers` are refused or mean something else, `readers` meet something new, or it is harmless.',
);

const wantedBy = list(
  record({
    'user?': { const: true, description: 'The user asks for it.' },
    'source?': text('Package that requires it.'),
    'version?': text('Version of that package.'),
    'constraint?': text('What that package asks for.'),
  }),
  'Who wants it; of a package that is gone, who wanted it.',
);

const digest = text('Digest of the image.');
const packageEnd = record({ source, version, 'digest?': digest, wantedBy });
const place = record(
  { source, version, 'line?': count('Line of its package.yaml, from 1.') },
  'Where it stands.',
);

/** Of what `diff -o json` prints. */
export const DIFF_OUTPUT_SCHEMA = outputSchema('diff -o json', {
  old: text('What is compared, as it was named.'),
  new: text('What it is compared with.'),
  packages: record(
    {
      added: list(packageEnd, 'Packages that are new.'),
      removed: list(packageEnd, 'Packages that are gone.'),
      moved: list(
        record({
          source,
          from: text('Version that it was at.'),
          to: text('Version that it is at.'),
          'fromDigest?': digest,
          'toDigest?': digest,
          wantedBy,
        }),
        'Packages at another version, or at other bytes of it.',
      ),
    },
    'Packages that differ, by source.',
  ),
  objects: list(
    record({
      kind: oneOf(OWNED_KINDS, 'Kind of object; a claim is the CRD that an XRD adds.'),
      name: text('Its name.'),
      change: oneOf(['added', 'removed', 'owner', 'schema'], 'What changed of it.'),
      'from?': text('Package that owned it, where its owner changed.'),
      'to?': text('Package that owns it, where its owner changed.'),
    }),
    'Objects that differ, by kind and name.',
  ),
  findings: list(
    record({
      kind: oneOf([...OWNED_KINDS, ...PACKAGE_KINDS], 'Kind of the object, or of the package.'),
      object: text('Name of the object, or source of the package.'),
      'claim?': text('Claim that it is true of, too.'),
      version: text('Version of the API, `v1 -> v2` of two that differ; empty: all of the object.'),
      path: text('Field that it is about, such as `spec.forProvider.size`; empty: the object.'),
      rule: text('Name of the rule.'),
      severity,
      text: text('What changed, and what that does.'),
      'from?': place,
      'to?': place,
    }),
    'What changes do, worst first.',
  ),
  omitted: list(
    record({ severity, count: count('How many.') }),
    'Findings that are too many to be listed.',
  ),
  notes,
});
