#!/usr/bin/env node
import { realIo } from './io/real-io.js';
import { runCli } from './run.js';

const code = await runCli(process.argv.slice(2), realIo());
process.exitCode = code;
// Requests that were made ahead and are not needed would keep the process alive.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
