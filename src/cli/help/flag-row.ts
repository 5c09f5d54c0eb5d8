import type { Options } from 'yargs';
import type { HelpRow } from './layout.js';

/** How help shows a flag: `-o, --output text|json`, what it is for, and its default. */
export function flagRow(name: string, options: Options): HelpRow {
  // A switch that is on is only ever turned off.
  const long = options.default === true ? `--no-${name}` : `--${name}`;
  const short = typeof options.alias === 'string' ? `-${options.alias}, ` : '    ';
  const value = valueOf(options);
  const term = `${short}${long}${value === '' ? '' : ` ${value}`}`;
  return [term, `${options.describe ?? ''}${defaultOf(options)}`];
}

function valueOf({ choices, type }: Options): string {
  if (choices !== undefined) return choices.map(String).join('|');
  if (type === 'number') return 'N';
  return type === 'string' ? 'VALUE' : '';
}

function defaultOf({ default: preset }: Options): string {
  if (preset === undefined || typeof preset === 'boolean') return '';
  return ` (default: ${String(preset)})`;
}
