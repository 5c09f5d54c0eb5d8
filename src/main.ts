#!/usr/bin/env node
import { optimizeLater, realIo } from './cli/terminal/process.js';
import { sanitizedIo } from './cli/terminal/output-filters.js';
import { reportError } from './cli/kit/errors.js';
import { runCli } from './commands.js';

optimizeLater();
const argv = process.argv.slice(2);
const io = realIo();
let line = { debug: false, json: false };

// Errors that the run does not catch also end with a message and a documented exit code.
process.on('uncaughtException', endWith);
process.on('beforeExit', () => endWith(new Error('it waits for something that will never come')));

// No top-level `await`: executables embed scripts, not modules.
void runCli(argv, io, (read) => (line = read)).then((code) => {
  process.exitCode = code;
  // Pending prefetches would keep the process alive.
  process.stdout.write('', (failed) => {
    // `realIo` ends a process whose output failed.
    if (!failed) process.stderr.write('', () => process.exit(code));
  });
});

function endWith(error: unknown): never {
  process.exit(reportError(error, line, sanitizedIo(io)));
}
