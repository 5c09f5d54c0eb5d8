import type { CommandLine } from './cli/kit/command-line.js';
import type { ExitCode, CommandRow } from './cli/kit/command.js';
import type { Io } from './cli/terminal/io.js';
import { runCommandLine } from './cli/kit/run.js';

const SCHEMA_USAGE = 'schema <document>';

/**
 * Every command by its usage line, with its summary: to add one, write its file and a row here. Within
 * a group, the order is that of `--help`; the order of all is that of completion.
 */
export const COMMANDS: readonly CommandRow[] = [
  ...inGroup('Every day', {
    'resolve [refs..]': [
      'Find one version of every package, and write the lockfile and the bundle',
      async () => (await import('./features/resolve/command.js')).resolveCommand,
    ],
    'init [refs..]': [
      'Write a first xpkg.yaml: empty, or of what there is',
      async () => (await import('./features/edit/init-command.js')).initCommand,
    ],
    'import [dump]': [
      'Write xpkg.yaml and lockfile of what a cluster has installed',
      async () => (await import('./features/cluster/import-command.js')).importCommand,
    ],
    'add <refs..>': [
      'Ask for packages in xpkg.yaml, at versions that fit, and resolve',
      async () => (await import('./features/edit/add-command.js')).addCommand,
    ],
    'remove <packages..>': [
      'Take packages out of xpkg.yaml, and resolve',
      async () => (await import('./features/edit/remove-command.js')).removeCommand,
    ],
    'set <field> <value>': [
      'Set the Crossplane release in xpkg.yaml, and resolve',
      async () => (await import('./features/edit/set-command.js')).setCommand,
    ],
    'update [packages..]': [
      'Move locked packages, and only what must follow',
      async () => (await import('./features/update/update-command.js')).updateCommand,
    ],
    'verify [refs..]': [
      'Hold the lockfile against its sources and against what is asked for',
      async () => (await import('./features/verify/command.js')).verifyCommand,
    ],
    'check [refs..]': [
      'Check everything a change has to pass: inputs, lockfile, bundle, sources, lint, releases',
      async () => (await import('./features/verify/check-command.js')).checkCommand,
    ],
  }),
  ...inGroup('Looking around', {
    'matrix [refs..]': [
      'Show which Crossplane releases can run the set, and what blocks the others',
      async () => (await import('./features/matrix/command.js')).matrixCommand,
    ],
  }),
  ...inGroup('Every day', {
    outdated: [
      'Show which locked packages have newer versions, within constraints and beyond',
      async () => (await import('./features/update/outdated-command.js')).outdatedCommand,
    ],
  }),
  ...inGroup('Looking around', {
    'fleet [packages..]': [
      'Show which control plane has what, who is behind, and what an update would touch',
      async () => (await import('./features/projects/fleet-command.js')).fleetCommand,
    ],
    'drift [dump]': [
      'Compare a cluster with the lockfile, and say what to do',
      async () => (await import('./features/cluster/drift-command.js')).driftCommand,
    ],
    'why [name]': [
      'Show how a package, or the owner of a CRD, came to be locked; --not: why a version is not',
      async () => (await import('./features/why/command.js')).whyCommand,
    ],
    tree: [
      'Show what is locked as a tree of who requires whom',
      async () => (await import('./features/why/tree-command.js')).treeCommand,
    ],
    'graph [old] [new]': [
      'Draw what is locked, or what changes: Mermaid, Graphviz, SVG, or a page to click',
      async () => (await import('./features/graph/command.js')).graphCommand,
    ],
    'simulate [refs..]': [
      "Show what a cluster's own package manager would do, step by step, and where it is stuck",
      async () => (await import('./features/simulate/command.js')).simulateCommand,
    ],
    'diff <old> <new>': [
      'Show what a change of the lockfile, or of a package, does to objects that exist',
      async () => (await import('./features/diff/command.js')).diffCommand,
    ],
    'plan <old> <new>': [
      'Show in which steps to get from one lockfile to another, with their commands',
      async () => (await import('./features/plan/command.js')).planCommand,
    ],
  }),
  ...inGroup('Packages', {
    'versions <package>': [
      'Show which versions of a package there are, and which Crossplane each needs',
      async () => (await import('./features/packages/search-command.js')).versionsCommand,
    ],
    'search <word>': [
      'Find packages by name, or by the kinds and CRDs that they bring',
      async () => (await import('./features/packages/search-command.js')).searchCommand,
    ],
    'constraint [range] [versions..]': [
      'Tell what a range admits on a Crossplane release, and why not',
      async () => (await import('./features/packages/constraint-command.js')).constraintCommand,
    ],
    releases: [
      'List the known releases of Crossplane',
      async () => (await import('./features/tool/releases-command.js')).releasesCommand,
    ],
    'inspect <package>': [
      'Show what a package is, needs and owns on a Crossplane release',
      async () => (await import('./features/packages/inspect-command.js')).inspectCommand,
    ],
  }),
  ...inGroup('Looking around', {
    'fuzz [refs..]': [
      'Look for versions and Crossplane releases with which your set breaks',
      async () => (await import('./features/fuzz/command.js')).fuzzCommand,
    ],
  }),
  ...inGroup('Packages', {
    'lint [package]': [
      'Check your set for what hurts later, or a package as a Crossplane release would',
      async () => (await import('./features/lint/command.js')).lintCommand,
    ],
    'convert <folder>': [
      'Write a package of the first format as one of today, and tell what is lost',
      async () => (await import('./features/packages/convert-command.js')).convertCommand,
    ],
  }),
  ...inGroup('Other', {
    'completion [shell]': [
      'Print a script that makes a shell complete commands, flags and locked names',
      async () => (await import('./features/tool/completion-command.js')).completionCommand,
    ],
    'merge-lock <base> <ours> <theirs> [path]': [
      'Settle a lockfile that two branches changed, as a git merge driver',
      async () => (await import('./features/resolve/merge-lock-command.js')).mergeLockCommand,
    ],
    'report <action> <files..>': [
      'Merge what parts of a run printed, each on a machine of its own, as of one run',
      async () => (await import('./features/projects/report-command.js')).reportCommand,
    ],
    [SCHEMA_USAGE]: [
      'Print the JSON Schema of a document that is read or written',
      async () => {
        const others = COMMANDS.filter(({ usage }) => usage !== SCHEMA_USAGE);
        return (await import('./features/tool/schema-command.js')).schemaCommand(others);
      },
    ],
  }),
  ...inGroup('Every day', {
    render: [
      'Write the bundle and the Lock again, from the lockfile alone',
      async () => (await import('./features/render/command.js')).renderCommand,
    ],
  }),
  ...inGroup('Other', {
    krm: [
      'Render as a function of kustomize or kpt: a ResourceList in, and out',
      async () => (await import('./features/render/krm-command.js')).krmCommand,
    ],
  }),
  ...inGroup('Supply', {
    'index [repositories..]': [
      'Write what the sources hold as an index file',
      async () => (await import('./features/index/command.js')).indexCommand,
    ],
    'vendor <folder>': [
      'Copy the images of all locked packages into an OCI layout',
      async () => (await import('./features/mirror/vendor-command.js')).vendorCommand,
    ],
    images: [
      'Show every image that a cluster pulls for what is locked, by platform',
      async () => (await import('./features/mirror/images-command.js')).imagesCommand,
    ],
    mirror: [
      'Copy all images of what is locked to a registry of your own, and print ImageConfigs for it',
      async () => (await import('./features/mirror/mirror-command.js')).mirrorCommand,
    ],
    'bundle <file>': [
      'Write lockfile, rendered objects and whole images as one file',
      async () => (await import('./features/mirror/bundle-command.js')).bundleCommand,
    ],
    'push <reference>': [
      'Store lockfile and bundle at a registry, where `oras pull` and --lock find them',
      async () => (await import('./features/render/push-command.js')).pushCommand,
    ],
    sbom: [
      'Print what is locked as a bill of materials: CycloneDX or SPDX',
      async () => (await import('./features/sbom/command.js')).sbomCommand,
    ],
    'cache <action>': [
      'Tell what was downloaded and kept, where it is, or take it away',
      async () => (await import('./features/tool/cache-command.js')).cacheCommand,
    ],
  }),
];

function inGroup(
  group: CommandRow['group'],
  rows: Readonly<Record<string, readonly [about: CommandRow['about'], load: CommandRow['load']]>>,
): CommandRow[] {
  return Object.entries(rows).map(([usage, [about, load]]) => ({ group, usage, about, load }));
}

/** Runs one command line with these commands, as `runCommandLine`. */
export function runCli(
  argv: readonly string[],
  io: Io,
  onRead?: (line: CommandLine) => void,
): Promise<ExitCode> {
  return runCommandLine(COMMANDS, argv, io, onRead);
}
