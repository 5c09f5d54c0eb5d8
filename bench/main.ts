import { cpus } from 'node:os';
import { compare } from './compare.js';
import { fleet } from './fleet.js';
import { growth } from './growth.js';
import { laziness } from './laziness.js';
import { locked } from './locked.js';
import { packageYaml } from './package-yaml.js';
import { reading } from './reading.js';
import { refusal } from './refusal.js';
import { registry } from './registry.js';
import { rounds } from './rounds.js';
import { runBenches } from './run-benches.js';
import { scale } from './scale.js';
import { solving } from './solving.js';
import { sparse } from './sparse.js';
import { startUp } from './start-up.js';
import { structure } from './structure.js';
import { walk } from './walk.js';

const BENCHES = {
  compare,
  fleet,
  growth,
  laziness,
  locked,
  'package-yaml': packageYaml,
  reading,
  refusal,
  registry,
  rounds,
  scale,
  solving,
  sparse,
  'start-up': startUp,
  structure,
  walk,
};

const cpu = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`;
process.exitCode = await runBenches(process.argv.slice(2), BENCHES, {
  heading: `Node ${process.version}, ${cpu}, ${new Date().toISOString().slice(0, 10)}`,
  out: (text) => process.stdout.write(text),
  note: (text) => process.stderr.write(text),
});
