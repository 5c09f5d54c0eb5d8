import { DIFF_SEVERITIES, type DiffFinding, type DiffPlace } from './findings.js';
import type { PackageChange, Want } from './changes.js';
import { PACKAGE_KINDS } from '../../crossplane/packages/package.js';
import { OWNED_KINDS } from '../../crossplane/packages/owned-objects.js';
import type { Diff, ObjectChange } from './diff.js';
import {
  constant,
  count,
  jsonOutput,
  list,
  notes,
  oneOf,
  outputSchema,
  record,
  source,
  type Static,
  text,
  version,
} from '../../cli/kit/json-schema.js';
import type { LockedPackage } from '../../project/lockfile/lockfile.js';

/** The result of `diff`. */
export interface DiffValue {
  readonly found: Diff;
  /** The two sides, as the user named them. */
  readonly shown: { readonly old: string; readonly new: string };
}

const severity = oneOf(
  DIFF_SEVERITIES,
  'What it does at worst: `stored` objects lose data or are refused, `writers` are refused or mean something else, `readers` meet something new, or it is harmless.',
);

const wantedBy = list(
  record({
    'user?': constant(true, 'The user asks for it.'),
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

const schema = outputSchema('diff -o json', {
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

type DiffDocument = Static<typeof schema>;

/** All differences between two package sets, the worst findings first. */
export const diffOutput = jsonOutput(
  schema,
  ({ found: { packages, ...found }, shown }: DiffValue): DiffDocument => ({
    ...shown,
    packages: {
      added: packages.added.map((change) => endDocument(change.after!, change)),
      removed: packages.removed.map((change) => endDocument(change.before!, change)),
      moved: packages.moved.map((change) => ({
        source: change.repository,
        from: change.from!,
        to: change.to!,
        fromDigest: change.before?.digest,
        toDigest: change.after?.digest,
        wantedBy: change.wantedBy.map(wantDocument),
      })),
    },
    objects: found.objects.map(objectDocument),
    findings: found.findings.map(findingDocument),
    omitted: found.omitted,
    notes: found.notes,
  }),
);

function endDocument(
  { repository, version: at, digest: of }: LockedPackage,
  { wantedBy: wants }: PackageChange,
): Static<typeof packageEnd> {
  return { source: repository, version: at, digest: of, wantedBy: wants.map(wantDocument) };
}

function wantDocument(want: Want): Static<typeof wantedBy>[number] {
  if (want.by === 'user') return { user: true };
  return { source: want.repository, version: want.version, constraint: want.constraint };
}

function objectDocument(object: ObjectChange): DiffDocument['objects'][number] {
  const { kind, name, change } = object;
  if (object.change === 'schema') return { kind, name, change };
  const { before, after } = object;
  return { kind, name, change, from: before?.repository, to: after?.repository };
}

function findingDocument(finding: DiffFinding): DiffDocument['findings'][number] {
  return {
    kind: finding.object.kind,
    object: finding.object.name,
    claim: finding.claim,
    version: finding.version,
    path: finding.path,
    rule: finding.rule,
    severity: finding.severity,
    text: finding.text,
    from: finding.before && placeDocument(finding.before),
    to: finding.after && placeDocument(finding.after),
  };
}

function placeDocument({ repository, version: at, line }: DiffPlace): Static<typeof place> {
  return { source: repository, version: at, line };
}
