import { cpus } from 'node:os';
import { compare } from './compare.js';
import { fleet } from './fleet.js';
import { growth } from './growth.js';
import { laziness } from './laziness.js';
import { locked } from './locked.js';
import { packageYaml } from './package-yaml.js';
import { refusal } from './refusal.js';
import { registry } from './registry.js';
import { rounds } from './rounds.js';
import { scale } from './scale.js';
import { solving } from './solving.js';
import { sparse } from './sparse.js';
import { startUp } from './start-up.js';
import { walk } from './walk.js';

const BENCHES = {
  compare,
  fleet,
  growth,
  laziness,
  locked,
  'package-yaml': packageYaml,
  refusal,
  registry,
  rounds,
  scale,
  solving,
  sparse,
  'start-up': startUp,
  walk,
};

const asked = process.argv.slice(2);
const cpu = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`;
process.stdout.write(`Node ${process.version}, ${cpu}, ${new Date().toISOString().slice(0, 10)}\n`);
for (const [name, bench] of Object.entries(BENCHES)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  process.stdout.write(`\n### ${name}\n\n${await bench()}`);
}
