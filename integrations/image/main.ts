import { buildExecutables } from '../executable/build.js';
import { ARCHITECTURES, buildContainerImage, IMAGE } from './build.js';

// `npm run image [ARCHITECTURE..]`: builds an OCI image layout in build/image; by default for all
// architectures.
const asked = process.argv.slice(2);
const unknown = asked.find((name) => ARCHITECTURES[name] === undefined);
if (unknown !== undefined) {
  throw new Error(
    `no image is made for ${unknown}, only for ${Object.keys(ARCHITECTURES).join(', ')}`,
  );
}
const architectures = asked.length > 0 ? asked : Object.keys(ARCHITECTURES);
await buildExecutables(architectures.map((name) => ARCHITECTURES[name]!.executable));
const { digest, tag, packages } = await buildContainerImage(architectures);
for (const [architecture, each] of Object.entries(packages)) {
  for (const { name, version } of each)
    process.stdout.write(`${architecture} ${name} ${version}\n`);
}
process.stdout.write(`${IMAGE}:${tag}@${digest}\n`);
