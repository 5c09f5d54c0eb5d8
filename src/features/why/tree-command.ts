import { lockFlag, outputFlag } from '../../cli/arguments/common-flags.js';
import { readRequiredLock } from '../../cli/files/lock-file.js';
import { defineCommand } from '../../cli/kit/command.js';
import { sourceFlags } from '../../cli/sources/source-flags.js';
import { amount, shortVersion } from '../../cli/terminal/package-text.js';
import { lockTree, type TreeNode } from '../../project/lockfile/lock-graph.js';
import type { TreeValue } from './output.js';

export const treeCommand = defineCommand({
  positionals: {},
  // Only the lockfile is read. Source flags are accepted, as by every command, and ignored.
  flags: { ...sourceFlags, ...lockFlag(), ...outputFlag },
  run: async (args, io): Promise<TreeValue> => {
    const { lockfile } = await readRequiredLock(args, io);
    return { trees: lockTree(lockfile), crossplane: lockfile.crossplane };
  },
  json: async () => (await import('./output.js')).treeOutput,
  text: ({ trees }) => treeLines(trees),
});

/** Returns trees as indented lines; `(*)` marks a package whose requirements are shown above. */
function treeLines(trees: readonly TreeNode[]): string[] {
  const lines = trees.flatMap((tree) => [nodeText(tree), ...below(tree, '')]);
  return trees.some(hasRepeated) ? [...lines, '(*) shown above with what it requires'] : lines;
}

function below({ requires, omitted }: TreeNode, indent: string): string[] {
  if (omitted === undefined) return branches(requires, indent);
  return [`${indent}└── … and ${amount(omitted, 'package')} below`];
}

function branches(nodes: readonly TreeNode[], indent: string): string[] {
  return nodes.flatMap((node, i) => {
    const last = i === nodes.length - 1;
    return [
      `${indent}${last ? '└── ' : '├── '}${nodeText(node)}`,
      ...below(node, `${indent}${last ? '    ' : '│   '}`),
    ];
  });
}

function nodeText({ locked, constraint, repeated }: TreeNode): string {
  const constraintText = constraint === undefined ? '' : ` \`${constraint}\``;
  return `${locked.repository} ${shortVersion(locked.version)}${constraintText}${repeated ? ' (*)' : ''}`;
}

function hasRepeated({ repeated, requires }: TreeNode): boolean {
  return repeated || requires.some(hasRepeated);
}
