import type { PlacedFinding } from './report.js';
import { sha256 } from '../../base/digest.js';

/** A description of a rule, for systems that list rules. `security`: it may indicate an attack. */
type RuleDescription = readonly [about: string, help: string, security?: 'security'];

const RULES: ReadonlyMap<string, RuleDescription> = new Map(
  Object.entries<RuleDescription>({
    // Kinds of mismatch between a lockfile, its inputs and the rendered manifests.
    'tag-moved': [
      'A tag names other bytes than were locked.',
      'Look at what it is now with `xpkg-resolve inspect`; `xpkg-resolve update PACKAGE --accept-moved` takes it.',
      'security',
    ],
    gone: [
      'No source has what was locked.',
      'Name the source that it was locked from with `--from`; `xpkg-resolve vendor` keeps a copy of what is locked.',
    ],
    content: [
      'The lockfile does not say what the package says.',
      'Restore the lockfile from version control, or run `xpkg-resolve resolve` and review what changes.',
      'security',
    ],
    constraint: [
      'What is locked does not satisfy everything.',
      'Run `xpkg-resolve resolve` and commit what it writes.',
    ],
    input: [
      'What is locked is not what is asked for.',
      'Run `xpkg-resolve resolve` and commit what it writes.',
    ],
    stale: [
      'Resolving again changes the lockfile.',
      'Run `xpkg-resolve resolve` and commit what it writes.',
    ],
    bundle: [
      'A rendered file is not what the lockfile renders.',
      'See what differs; `xpkg-resolve render` writes it again.',
    ],
    signature: [
      'An image is not signed as the policy of an ImageConfig asks.',
      'See who signed it with `cosign tree` and `cosign verify`; the cluster refuses it, too.',
      'security',
    ],
    missing: ['There is no lockfile.', 'Run `xpkg-resolve resolve` and commit what it writes.'],

    // Answers.
    unsolvable: [
      'No set of versions satisfies everything.',
      'Each hint is a change that was tried: `xpkg-resolve resolve --apply-hint 1` makes the first.',
    ],
    'gave-up': ['It takes too long to tell.', 'Raise `--timeout`, or narrow what is asked for.'],
    warning: ['Something to know about the answer.', 'Read what it says; the answer holds.'],
    blocked: [
      'A Crossplane release cannot run the set.',
      '`xpkg-resolve resolve --crossplane RELEASE --no-write` says why, and what would help.',
    ],
    'longer-tags': [
      'A pin keeps published tags from being installed that begin as the locked one does.',
      '`xpkg-resolve resolve --pin locked` lets them through.',
    ],
    outdated: ['There is a newer version.', '`xpkg-resolve update` moves locked packages.'],

    // Failures.
    'bad-input': ['What was given cannot be used.', 'Correct it at the line that is named.'],
    'source-failed': [
      'A source of packages failed.',
      'Try again; `--trace` shows what is asked of registries.',
    ],
    'bad-digest': [
      'Bytes are not what their digest says.',
      'They were not used. Look at where they are kept, and at what stands between.',
      'security',
    ],
    bug: ['A bug in xpkg-resolve.', 'Run again with `--debug` and report what it shows.'],

    // Lint.
    'digest-and-range': [
      'One package is asked for by digest and by a range.',
      'A digest satisfies no range: ask for a version.',
    ],
    'duplicate-dependency': ['A package is asked for twice.', 'Leave one of them out.'],
    'family-apart': [
      'A family provider is of another organisation than its members.',
      'Take family and members from one organisation.',
    ],
    'family-versions': [
      'Members of a family are far apart in version.',
      'Move them together: they are released together.',
    ],
    'missing-function': [
      'A Composition runs a function that no package brings.',
      'Ask for the function, or correct its name.',
    ],
    'missing-kind': [
      'A Composition makes objects of a kind that no package brings.',
      'Ask for the provider that brings the kind.',
    ],
    'object-name': [
      'An object is named otherwise than Crossplane would name it.',
      'A dependency that names the package would be installed a second time: use the derived name.',
    ],
    'patched-crossplane': [
      'A range of Crossplane releases excludes builds with a suffix.',
      'Write `-0` after the lower bound to admit them.',
    ],
    'skip-mixture': [
      'Some packages skip dependency resolution beside others that do not.',
      'Set it on all of them, or on none.',
    ],
    'unqualified-source': [
      'A source names no registry.',
      'Write the registry: which one is meant depends on the release.',
    ],
    'unused-provider': [
      'No Composition of the set uses what a provider brings.',
      'Leave it out, unless objects of it are made by hand.',
    ],
  }),
);

/** The description of all other rules: there are many, and each finding explains itself. */
const OTHER: RuleDescription = [
  'Something that a package says, or that a change of it does.',
  'What was found says what to do. docs/diff.md lists the rules of `xpkg-resolve diff`.',
];

export function ruleOf(id: string): RuleDescription {
  return RULES.get(id) ?? OTHER;
}

/** Returns a unique fingerprint for each finding, by which systems recognize it after its line has moved. */
export function fingerprints(findings: readonly PlacedFinding[]): string[] {
  const seen = new Map<string, number>();
  return findings.map(({ rule, origin, text }) => {
    const withoutLines = text.replaceAll(/:\d+\b/g, '');
    const hash = sha256(JSON.stringify([rule, origin.file, withoutLines])).slice('sha256:'.length);
    const count = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, count);
    return `${hash.slice(0, 32)}:${count}`;
  });
}
