import type { Repository } from '../../crossplane/packages/package.js';
import type { PackageContents } from '../../crossplane/packages/package-contents.js';
import type { PackageSource } from '../../sources/package-source.js';
import type { Request } from '../../project/inputs/request.js';
import type { Solved } from '../../resolver/resolve/answer.js';
import { COMPOSITION_RULES } from './composition-rules.js';
import { FAMILY_RULES } from './family-rules.js';
import { byPlace, lintedProject, type LintFinding } from './linted-project.js';
import { REQUIREMENT_RULES, fieldFindings } from './requirement-rules.js';
import { SourceReader } from '../../resolver/driver/source-reader.js';

const RULES = [...FAMILY_RULES, ...REQUIREMENT_RULES, ...COMPOSITION_RULES];

/** Returns the findings for a resolved package set, by file and line, then by rule. */
export async function lintProject(
  request: Request,
  { lockfile, target }: Pick<Solved, 'lockfile' | 'target'>,
  source: PackageSource,
  { strict = false }: { readonly strict?: boolean } = {},
): Promise<LintFinding[]> {
  const reader = SourceReader.of(source);
  const contents = new Map<Repository, PackageContents>();
  for (const { repository, version } of lockfile.packages) {
    const found = await reader.fetch({ repository, version }, target);
    if (found !== undefined) contents.set(repository, found.contents);
  }
  const set = lintedProject({ request, lockfile, target }, contents);
  const severity = strict ? 'error' : 'warning';
  return [...RULES.flatMap((rule) => rule(set)), ...fieldFindings(request, severity)].sort(byPlace);
}
