#!/usr/bin/env node
import { realIo } from './io/real-io.js';
import { runCli } from './run.js';

const code = await runCli(process.argv.slice(2), realIo());
process.exitCode = code;
// What was asked of a registry ahead and in vain must not keep the user waiting.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
