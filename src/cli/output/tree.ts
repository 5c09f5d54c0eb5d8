import type { Lockfile } from '../../lock/lockfile.js';
import type { TreeNode } from '../../lock/lock-tree.js';
import { shortVersion } from './packages.js';
import { jsonDocument } from './json-document.js';

/** Trees as indented lines; `(*)` marks a package whose requirements stand further up. */
export function treeLines(trees: readonly TreeNode[]): string[] {
  const lines = trees.flatMap((tree) => [nodeText(tree), ...branches(tree.requires, '')]);
  return trees.some(hasRepeated) ? [...lines, '(*) shown above with what it requires'] : lines;
}

function branches(nodes: readonly TreeNode[], indent: string): string[] {
  return nodes.flatMap((node, i) => {
    const last = i === nodes.length - 1;
    return [
      `${indent}${last ? '└── ' : '├── '}${nodeText(node)}`,
      ...branches(node.requires, `${indent}${last ? '    ' : '│   '}`),
    ];
  });
}

function nodeText({ locked, constraint, repeated }: TreeNode): string {
  const asked = constraint === undefined ? '' : ` \`${constraint}\``;
  return `${locked.repository} ${shortVersion(locked.version)}${asked}${repeated ? ' (*)' : ''}`;
}

function hasRepeated({ repeated, requires }: TreeNode): boolean {
  return repeated || requires.some(hasRepeated);
}

export function treeJson(trees: readonly TreeNode[], { crossplane }: Lockfile): string {
  return jsonDocument({ crossplane, packages: trees.map(nodeJson) });
}

function nodeJson({ locked, constraint, repeated, requires }: TreeNode): object {
  return {
    source: locked.repository,
    version: locked.version,
    kind: locked.kind,
    direct: locked.direct,
    ...(constraint !== undefined && { constraint }),
    ...(repeated ? { repeated } : { requires: requires.map(nodeJson) }),
  };
}
