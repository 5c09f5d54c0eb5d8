import type { Flags } from '../command.js';
import { UsageError } from '../usage-error.js';

export const REPORT_FORMATS = ['github', 'gitlab', 'azure', 'sarif', 'junit', 'markdown'] as const;

/** A format that a report is wanted in. */
export interface WantedFormat {
  readonly format: (typeof REPORT_FORMATS)[number];
  /** File to write; undefined: stdout. */
  readonly file: string | undefined;
}

/** How findings are told to the system that runs the command. */
export const formatFlag = {
  format: {
    type: 'string',
    array: true,
    nargs: 1,
    describe: `Print findings for a build system: ${REPORT_FORMATS.join(', ')}; FORMAT=FILE writes a file; may be repeated`,
  },
} as const satisfies Flags;

/** Reads values of `--format`; of formats without a file, one can be printed. */
export function readFormats(texts: readonly string[]): readonly WantedFormat[] {
  const wanted = texts.map(readFormat);
  if (wanted.filter(({ file }) => file === undefined).length <= 1) return wanted;
  throw new UsageError(
    'two formats cannot both be printed',
    'write all but one to a file: `--format sarif=xpkg.sarif`',
  );
}

function readFormat(text: string): WantedFormat {
  const equals = text.indexOf('=');
  const [name, file] = equals < 0 ? [text] : [text.slice(0, equals), text.slice(equals + 1)];
  const format = REPORT_FORMATS.find((known) => known === name);
  if (format !== undefined && file !== '') return { format, file };
  throw new UsageError(
    `\`--format ${text}\` is none that is known`,
    `write one of ${REPORT_FORMATS.join(', ')}, or FORMAT=FILE`,
  );
}
