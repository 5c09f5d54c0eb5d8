#!/usr/bin/env node
import { optimiseLater, realIo } from './cli/terminal/process.js';
import { sanitizedIo } from './cli/terminal/output-filters.js';
import { reportError } from './cli/kit/errors.js';
import { runCli } from './commands.js';

optimiseLater();
const argv = process.argv.slice(2);
const io = realIo();
let line = { debug: false, json: false };

// Whatever the run does not see, the process still ends with a message and an exit code of ours.
process.on('uncaughtException', endWith);
process.on('beforeExit', () => endWith(new Error('it waits for something that will never come')));

// No `await`: an executable is made of scripts.
void runCli(argv, io, (read) => (line = read)).then((code) => {
  process.exitCode = code;
  // Requests that were made ahead and are not needed would keep the process alive.
  process.stdout.write('', (failed) => {
    // `realIo` ends a process whose output failed.
    if (!failed) process.stderr.write('', () => process.exit(code));
  });
});

function endWith(error: unknown): never {
  process.exit(reportError(error, line, sanitizedIo(io)));
}
