#!/usr/bin/env node
import { realIo } from './real-io.js';
import { runCli } from './run.js';

process.exitCode = await runCli(process.argv.slice(2), realIo());
