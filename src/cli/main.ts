#!/usr/bin/env node
import { readCommandLine } from './command-line.js';
import { optimiseLater } from './io/optimise-later.js';
import { realIo } from './io/real-io.js';
import { sanitizedIo } from './io/sanitized-io.js';
import { reportError } from './report-error.js';
import { runCli } from './run.js';

optimiseLater();
const argv = process.argv.slice(2);
const io = realIo();

// Whatever the run does not see, the process still ends with a message and an exit code of ours.
process.on('uncaughtException', endWith);
process.on('beforeExit', () => endWith(new Error('it waits for something that will never come')));

// No `await`: an executable is made of scripts.
void runCli(argv, io).then((code) => {
  process.exitCode = code;
  // Requests that were made ahead and are not needed would keep the process alive.
  process.stdout.write('', (failed) => {
    // `realIo` ends a process whose output failed.
    if (!failed) process.stderr.write('', () => process.exit(code));
  });
});

function endWith(error: unknown): never {
  process.exit(reportError(error, readCommandLine(argv), sanitizedIo(io)));
}
