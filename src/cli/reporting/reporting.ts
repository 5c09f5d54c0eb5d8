import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { writeTransaction } from '../../files/transaction.js';
import { InputError } from '../../model/input-error.js';
import { placedReport, type PlacedReport } from '../../report/placed-report.js';
import { findingsOf, hasFailed, type Report } from '../../report/report.js';
import type { CommandLine } from '../command-line.js';
import type { ExitCode } from '../exit-code.js';
import { clash } from '../flags/clash.js';
import { readFormats, type WantedFormat } from './format-flag.js';
import type { Io } from '../io/io.js';
import { workingPlace } from '../io/lock-file.js';
import { repositoryPlaces } from './repository-places.js';
import { toolVersion } from '../io/tool-version.js';

type MakeReport = (command: string) => Promise<Report>;

/** Takes what came of a command, and writes it as `--format` says when the command has ended. */
export class Reporting {
  readonly #wanted: readonly WantedFormat[];
  readonly #line: CommandLine;
  readonly #io: Io;
  #make: MakeReport | undefined;

  /** `io` is that of the process: what formats hold is escaped by their own rules. */
  constructor(line: CommandLine, io: Io) {
    this.#wanted = readFormats(line.formats);
    this.#line = line;
    this.#io = io;
    if (!this.takesStdout) return;
    const format = `--format ${this.#wanted.find(({ file }) => file === undefined)!.format}`;
    if (line.json) throw clash('-o json', format);
    if (line.streams) throw clash('--out -', format);
  }

  /** The report is printed, and text that would be goes to stderr. */
  get takesStdout(): boolean {
    return this.#wanted.some(({ file }) => file === undefined);
  }

  take(make: MakeReport): void {
    this.#make = make;
  }

  async write(code: ExitCode): Promise<void> {
    const command = this.#line.command ?? '';
    const made = (await this.#make?.(command)) ?? nothingTold(command, code);
    const report = placedReport(made, repositoryPlaces(this.#line, this.#io));
    for (const { format, file } of this.#wanted) {
      const text = await written(report, format);
      if (file === undefined) this.#io.out(text);
      else await this.#writeFile(file, text);
      if (format === 'github') await this.#tellGithub(report, code);
    }
  }

  async #writeFile(file: string, text: string): Promise<void> {
    const path = resolve(this.#io.cwd, file);
    await writeTransaction([{ path, content: text }], workingPlace(this.#io));
  }

  /** A summary on the page of the run, and values for later steps. */
  async #tellGithub(report: PlacedReport, code: ExitCode): Promise<void> {
    const { env } = this.#io;
    const { githubOutputs } = await import('../../report/formats/github.js');
    const { markdownSummary } = await import('../../report/formats/markdown.js');
    const outputs = { ...countsOf(report, code), ...report.outputs };
    const told = [
      [env['GITHUB_STEP_SUMMARY'], () => markdownSummary(report)],
      [env['GITHUB_OUTPUT'], () => githubOutputs(outputs)],
    ] as const;
    for (const [file, text] of told) {
      if (file === undefined || file === '') continue;
      await appendFile(file, text()).catch((error: Error) => {
        throw new InputError(`cannot write \`${file}\`: ${error.message}`, { cause: error });
      });
    }
  }
}

function countsOf(report: PlacedReport, code: ExitCode): Readonly<Record<string, string>> {
  const findings = findingsOf(report);
  const count = (severity: string) =>
    String(findings.filter((finding) => finding.severity === severity).length);
  return {
    status: hasFailed(report) ? 'failed' : 'passed',
    'exit-code': String(code),
    errors: count('error'),
    warnings: count('warning'),
  };
}

/** Of a command that ended before it had anything to tell. */
function nothingTold(command: string, code: ExitCode): Report {
  const status = code === 0 ? 'passed' : 'failed';
  const text = code === 0 ? 'done' : `ended with exit code ${code}`;
  return { command, headline: text, steps: [{ name: command, status, text, findings: [] }] };
}

async function written(report: PlacedReport, format: WantedFormat['format']): Promise<string> {
  switch (format) {
    case 'github':
      return (await import('../../report/formats/github.js')).githubAnnotations(report);
    case 'gitlab':
      return (await import('../../report/formats/gitlab.js')).gitlabCodeQuality(report);
    case 'azure':
      return (await import('../../report/formats/azure.js')).azureIssues(report);
    case 'sarif':
      return (await import('../../report/formats/sarif.js')).sarifLog(report, toolVersion());
    case 'junit':
      return (await import('../../report/formats/junit.js')).junitResults(report);
    case 'markdown':
      return (await import('../../report/formats/markdown.js')).markdownSummary(report);
  }
}
