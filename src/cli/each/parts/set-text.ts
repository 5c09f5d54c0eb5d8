import type { JsonObject } from '../../../text/json.js';
import type { SetFinding } from '../../../usecases/lint/linted-set.js';
import type { Outdated } from '../../../usecases/outdated.js';
import { matrixLines, type MatrixRows } from '../../output/matrix.js';
import { outdatedLines } from '../../output/outdated.js';
import { findingLines, setLintLines } from '../../output/set-lint.js';

/** Commands that show data of sets which fare well, and what they print as text of what they print as JSON. */
const TEXTS: Readonly<Record<string, (line: JsonObject) => readonly string[]>> = {
  matrix: (line) => ('rows' in line ? matrixLines(line as unknown as MatrixRows) : []),
  outdated: (line) => {
    const packages = (line['packages'] ?? []) as unknown as readonly OutdatedDocument[];
    return outdatedLines({
      packages: packages.map(({ source, ...each }) => ({ ...each, repository: source })),
    });
  },
  lint: (line) => {
    if (!('findings' in line)) return [];
    const found = line['findings'] as unknown as readonly FindingDocument[];
    const findings = found.map(({ file, line: at, ...each }) => ({
      ...each,
      origin: { file, line: at },
    }));
    // Of a set without an answer, what is known of it before that.
    return line['status'] === undefined
      ? setLintLines(findings, line['crossplane'] as string)
      : findingLines(findings);
  },
};

type OutdatedDocument = Omit<Outdated, 'repository'> & { readonly source: Outdated['repository'] };

type FindingDocument = Omit<SetFinding, 'origin'> & {
  readonly file: string;
  readonly line?: number | undefined;
};

/** Whether the command shows data of sets that fare well. */
export function showsDataOfSets(command: string): boolean {
  return command in TEXTS;
}

/** What a command prints as text for a set, of the line that it prints as JSON, which was checked. */
export function setText(command: string, line: JsonObject): string {
  return (TEXTS[command]?.(line) ?? []).map((each) => `${each}\n`).join('');
}
