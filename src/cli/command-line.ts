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
    json: (valueOf(words, '--output') ?? valueOf(words, '-o')) === 'json' || has(words, '-ojson'),
  };
}

function has(words: readonly string[], flag: keyof typeof globalFlags | '-ojson'): boolean {
  if (flag === '-ojson') return words.includes(flag);
  const declared = globalFlags[flag];
  const short = 'alias' in declared ? words.includes(`-${declared.alias}`) : false;
  return short || words.includes(`--${flag}`);
}

/** The value of a flag, after a blank or an equals sign; the last where it is given twice. */
function valueOf(words: readonly string[], flag: string): string | undefined {
  const values = words.flatMap((word, i) => {
    if (word === flag) return words[i + 1] ?? [];
    return word.startsWith(`${flag}=`) ? word.slice(flag.length + 1) : [];
  });
  return values.at(-1);
}
