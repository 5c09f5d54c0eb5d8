import type { CommandLine } from './cli/kit/command-line.js';
import type { ExitCode, CommandRow } from './cli/kit/command.js';
import type { Io } from './cli/terminal/io.js';
import { runCommandLine } from './cli/kit/run.js';

const SCHEMA_USAGE = 'schema <document>';

/** Every command, in the order of `--help`: to add one, write its file and a row here. */
export const COMMANDS: readonly CommandRow[] = [
  {
    group: 'Every day',
    usage: 'resolve [refs..]',
    about: 'Find one version of every package, and write the lockfile and the bundle',
    load: async () => (await import('./features/resolve/command.js')).resolveCommand,
  },
  {
    group: 'Every day',
    usage: 'init [refs..]',
    about: 'Write a first xpkg.yaml: empty, or of what there is',
    load: async () => (await import('./features/edit/init-command.js')).initCommand,
  },
  {
    group: 'Every day',
    usage: 'import [dump]',
    about: 'Write xpkg.yaml and lockfile of what a cluster has installed',
    load: async () => (await import('./features/cluster/import-command.js')).importCommand,
  },
  {
    group: 'Every day',
    usage: 'add <refs..>',
    about: 'Ask for packages in xpkg.yaml, at versions that fit, and resolve',
    load: async () => (await import('./features/edit/add-command.js')).addCommand,
  },
  {
    group: 'Every day',
    usage: 'remove <packages..>',
    about: 'Take packages out of xpkg.yaml, and resolve',
    load: async () => (await import('./features/edit/remove-command.js')).removeCommand,
  },
  {
    group: 'Every day',
    usage: 'set <field> <value>',
    about: 'Set the Crossplane release in xpkg.yaml, and resolve',
    load: async () => (await import('./features/edit/set-command.js')).setCommand,
  },
  {
    group: 'Every day',
    usage: 'update [packages..]',
    about: 'Move locked packages, and only what must follow',
    load: async () => (await import('./features/update/update-command.js')).updateCommand,
  },
  {
    group: 'Every day',
    usage: 'verify [refs..]',
    about: 'Hold the lockfile against its sources and against what is asked for',
    load: async () => (await import('./features/verify/command.js')).verifyCommand,
  },
  {
    group: 'Every day',
    usage: 'check [refs..]',
    about:
      'Check everything a change has to pass: inputs, lockfile, bundle, sources, lint, releases',
    load: async () => (await import('./features/verify/check-command.js')).checkCommand,
  },
  {
    group: 'Looking around',
    usage: 'matrix [refs..]',
    about: 'Show which Crossplane releases can run the set, and what blocks the others',
    load: async () => (await import('./features/matrix/command.js')).matrixCommand,
  },
  {
    group: 'Every day',
    usage: 'outdated',
    about: 'Show which locked packages have newer versions, within constraints and beyond',
    load: async () => (await import('./features/update/outdated-command.js')).outdatedCommand,
  },
  {
    group: 'Looking around',
    usage: 'fleet [packages..]',
    about: 'Show which control plane has what, who is behind, and what an update would touch',
    load: async () => (await import('./features/projects/fleet-command.js')).fleetCommand,
  },
  {
    group: 'Looking around',
    usage: 'drift [dump]',
    about: 'Compare a cluster with the lockfile, and say what to do',
    load: async () => (await import('./features/cluster/drift-command.js')).driftCommand,
  },
  {
    group: 'Looking around',
    usage: 'why [name]',
    about:
      'Show how a package, or the owner of a CRD, came to be locked; --not: why a version is not',
    load: async () => (await import('./features/why/command.js')).whyCommand,
  },
  {
    group: 'Looking around',
    usage: 'tree',
    about: 'Show what is locked as a tree of who requires whom',
    load: async () => (await import('./features/why/tree-command.js')).treeCommand,
  },
  {
    group: 'Looking around',
    usage: 'graph [old] [new]',
    about: 'Draw what is locked, or what changes: Mermaid, Graphviz, SVG, or a page to click',
    load: async () => (await import('./features/graph/command.js')).graphCommand,
  },
  {
    group: 'Looking around',
    usage: 'simulate [refs..]',
    about:
      "Show what a cluster's own package manager would do, step by step, and where it is stuck",
    load: async () => (await import('./features/simulate/command.js')).simulateCommand,
  },
  {
    group: 'Looking around',
    usage: 'diff <old> <new>',
    about: 'Show what a change of the lockfile, or of a package, does to objects that exist',
    load: async () => (await import('./features/diff/command.js')).diffCommand,
  },
  {
    group: 'Looking around',
    usage: 'plan <old> <new>',
    about: 'Show in which steps to get from one lockfile to another, with their commands',
    load: async () => (await import('./features/plan/command.js')).planCommand,
  },
  {
    group: 'Packages',
    usage: 'versions <package>',
    about: 'Show which versions of a package there are, and which Crossplane each needs',
    load: async () => (await import('./features/packages/versions-command.js')).versionsCommand,
  },
  {
    group: 'Packages',
    usage: 'search <word>',
    about: 'Find packages by name, or by the kinds and CRDs that they bring',
    load: async () => (await import('./features/packages/search-command.js')).searchCommand,
  },
  {
    group: 'Packages',
    usage: 'constraint [range] [versions..]',
    about: 'Tell what a range admits on a Crossplane release, and why not',
    load: async () => (await import('./features/packages/constraint-command.js')).constraintCommand,
  },
  {
    group: 'Packages',
    usage: 'inspect <package>',
    about: 'Show what a package is, needs and owns on a Crossplane release',
    load: async () => (await import('./features/packages/inspect-command.js')).inspectCommand,
  },
  {
    group: 'Looking around',
    usage: 'fuzz [refs..]',
    about: 'Look for versions and Crossplane releases with which your set breaks',
    load: async () => (await import('./features/fuzz/command.js')).fuzzCommand,
  },
  {
    group: 'Packages',
    usage: 'lint [package]',
    about: 'Check your set for what hurts later, or a package as a Crossplane release would',
    load: async () => (await import('./features/lint/command.js')).lintCommand,
  },
  {
    group: 'Packages',
    usage: 'convert <folder>',
    about: 'Write a package of the first format as one of today, and tell what is lost',
    load: async () => (await import('./features/packages/convert-command.js')).convertCommand,
  },
  {
    group: 'Other',
    usage: 'completion [shell]',
    about: 'Print a script that makes a shell complete commands, flags and locked names',
    load: async () => (await import('./features/tool/completion-command.js')).completionCommand,
  },
  {
    group: 'Other',
    usage: 'merge-lock <base> <ours> <theirs> [path]',
    about: 'Settle a lockfile that two branches changed, as a git merge driver',
    load: async () => (await import('./features/resolve/merge-lock-command.js')).mergeLockCommand,
  },
  {
    group: 'Other',
    usage: 'report <action> <files..>',
    about: 'Merge what parts of a run printed, each on a machine of its own, as of one run',
    load: async () => (await import('./features/projects/report-command.js')).reportCommand,
  },
  {
    group: 'Other',
    usage: SCHEMA_USAGE,
    about: 'Print the JSON Schema of a document that is read or written',
    load: async () => {
      const others = COMMANDS.filter(({ usage }) => usage !== SCHEMA_USAGE);
      return (await import('./features/tool/schema-command.js')).schemaCommand(others);
    },
  },
  {
    group: 'Every day',
    usage: 'render',
    about: 'Write the bundle and the Lock again, from the lockfile alone',
    load: async () => (await import('./features/render/command.js')).renderCommand,
  },
  {
    group: 'Other',
    usage: 'krm',
    about: 'Render as a function of kustomize or kpt: a ResourceList in, and out',
    load: async () => (await import('./features/render/krm-command.js')).krmCommand,
  },
  {
    group: 'Supply',
    usage: 'index [repositories..]',
    about: 'Write what the sources hold as an index file',
    load: async () => (await import('./features/index/command.js')).indexCommand,
  },
  {
    group: 'Supply',
    usage: 'vendor <folder>',
    about: 'Copy the images of all locked packages into an OCI layout',
    load: async () => (await import('./features/mirror/vendor-command.js')).vendorCommand,
  },
  {
    group: 'Supply',
    usage: 'images',
    about: 'Show every image that a cluster pulls for what is locked, by platform',
    load: async () => (await import('./features/mirror/images-command.js')).imagesCommand,
  },
  {
    group: 'Supply',
    usage: 'mirror',
    about:
      'Copy all images of what is locked to a registry of your own, and print ImageConfigs for it',
    load: async () => (await import('./features/mirror/mirror-command.js')).mirrorCommand,
  },
  {
    group: 'Supply',
    usage: 'bundle <file>',
    about: 'Write lockfile, rendered objects and whole images as one file',
    load: async () => (await import('./features/mirror/bundle-command.js')).bundleCommand,
  },
  {
    group: 'Supply',
    usage: 'push <reference>',
    about: 'Store lockfile and bundle at a registry, where `oras pull` and --lock find them',
    load: async () => (await import('./features/render/push-command.js')).pushCommand,
  },
  {
    group: 'Supply',
    usage: 'sbom',
    about: 'Print what is locked as a bill of materials: CycloneDX or SPDX',
    load: async () => (await import('./features/sbom/command.js')).sbomCommand,
  },
  {
    group: 'Supply',
    usage: 'cache <action>',
    about: 'Tell what was downloaded and kept, where it is, or take it away',
    load: async () => (await import('./features/tool/cache-command.js')).cacheCommand,
  },
];

/** Runs one command line with these commands, as `runCommandLine`. */
export function runCli(
  argv: readonly string[],
  io: Io,
  onRead?: (line: CommandLine) => void,
): Promise<ExitCode> {
  return runCommandLine(COMMANDS, argv, io, onRead);
}
