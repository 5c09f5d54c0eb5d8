import { globalFlags } from './flags/global-flags.js';

/** What can be told of a command line before its command is loaded. */
export interface CommandLine {
  /** The command asked for; undefined: none is named. */
  readonly command: string | undefined;
  readonly help: boolean;
  readonly version: boolean;
  readonly debug: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** undefined: what the terminal and the environment say. */
  readonly color: string | undefined;
  /** Values of `--format`, as written. */
  readonly formats: readonly string[];
  /** The first input file that is named; undefined: none is. */
  readonly file: string | undefined;
  /** What the command is to print instead of an answer goes to stdout: `--out -`. */
  readonly streams: boolean;
  /** The answer is wanted as JSON, and so is an error. */
  readonly json: boolean;
}

export function readCommandLine(argv: readonly string[]): CommandLine {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  const names = words.filter((word, i) => !word.startsWith('-') && words[i - 1] !== '--color');
  const asksHelp = names[0] === 'help';
  return {
    command: names[asksHelp ? 1 : 0],
    help: asksHelp || has(words, 'help'),
    version: has(words, 'version'),
    debug: has(words, 'debug'),
    quiet: has(words, 'quiet'),
    verbose: has(words, 'verbose'),
    color: valueOf(words, '--color'),
    formats: valuesOf(words, '--format'),
    file: [...valuesOf(words, '-f'), ...valuesOf(words, '--file')][0],
    streams: valueOf(words, '--out') === '-',
    json: (valueOf(words, '--output') ?? valueOf(words, '-o')) === 'json' || has(words, '-ojson'),
  };
}

function has(words: readonly string[], flag: keyof typeof globalFlags | '-ojson'): boolean {
  if (flag === '-ojson') return words.includes(flag);
  const declared = globalFlags[flag];
  const short = 'alias' in declared ? words.includes(`-${declared.alias}`) : false;
  return short || words.includes(`--${flag}`);
}

/** The value of a flag; the last where it is given twice. */
function valueOf(words: readonly string[], flag: string): string | undefined {
  return valuesOf(words, flag).at(-1);
}

/** Values of a flag, after a blank or an equals sign. */
function valuesOf(words: readonly string[], flag: string): string[] {
  return words.flatMap((word, i) => {
    if (word === flag) return words[i + 1] ?? [];
    return word.startsWith(`${flag}=`) ? word.slice(flag.length + 1) : [];
  });
}
