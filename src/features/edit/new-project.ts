import { basename } from 'node:path';
import type { JsonObject } from '../../base/json.js';
import { writeYaml } from '../../base/yaml/write-yaml.js';

/** The contents of a new `xpkg.yaml`. */
export interface NewProject {
  readonly name: string;
  /** A release or a range. */
  readonly crossplane: string;
  readonly include: readonly string[];
  /** Entries of `spec.packages`. */
  readonly packages: readonly JsonObject[];
  /** Entries that other packages also require, so that they are optional. */
  readonly required: readonly JsonObject[];
  /** `spec` of every package object. */
  readonly defaults?: JsonObject | undefined;
}

/** Returns a valid object name for a project, derived from the name of its folder. */
export function projectName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return name.replaceAll(/^-|-$/g, '') || 'platform';
}

/** Returns the YAML of a PackageSet, with comments that explain its fields. */
export function newProjectText(set: NewProject): string {
  const { name, crossplane, include, packages, required, defaults = {} } = set;
  const lines = [
    '# What is wanted on the control plane; dependencies need not be listed. `xpkg-resolve resolve`',
    '# finds one version of every package, and writes xpkg.lock.yaml and rendered/.',
    'apiVersion: xpkg-resolve.dev/v1alpha1',
    'kind: PackageSet',
    'metadata:',
    ...indent(2, { name }),
    'spec:',
    '  # The release to resolve for, or a range of releases such as ">=v2.0.0".',
    ...indent(2, { crossplane }),
  ];
  if (include.length > 0) {
    lines.push('  # Read too: a package under development, objects to keep, other PackageSets.');
    lines.push(...indent(2, { include }));
  }
  lines.push('  # What to install: `xpkg-resolve add PACKAGE[@RANGE]` adds, `remove` takes away.');
  if (packages.length + required.length === 0) lines.push('  packages: []');
  else lines.push('  packages:', ...indent(4, packages));
  if (required.length > 0) {
    lines.push('    # Required by others as well: without its entry, such a package may move.');
    lines.push(...indent(4, required));
  }
  if (Object.keys(defaults).length > 0) {
    lines.push('  # On every package object:', ...indent(2, { defaults: { spec: defaults } }));
  }
  return `${[...lines, ...MORE].join('\n')}\n`;
}

const MORE = [
  '  # Versions never to choose:',
  '  # exclude:',
  '  #   - package: xpkg.example.org/acme/provider-a',
  '  #     version: v1.2.3',
  '  # A version whatever others ask for, and a repository that moved, are `overrides` and `replace`;',
  '  # `xpkg-resolve schema package-set` describes every field.',
];

function indent(column: number, value: JsonObject | readonly JsonObject[]): readonly string[] {
  if (Array.isArray(value) && value.length === 0) return [];
  const lines = writeYaml(value).trimEnd().split('\n');
  return lines.map((line) => ' '.repeat(column) + line);
}
