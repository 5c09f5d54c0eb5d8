// Preloaded (`node --import`) into a command: ends the process with SIGKILL before its change
// number KILL_AT to the file system. It is JavaScript because it runs before any TypeScript is
// loaded.
import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const at = Number(process.env.KILL_AT);
let changes = 0;

function count() {
  changes += 1;
  if (changes === at) process.kill(process.pid, 'SIGKILL');
}

function counted(holder, name, isChange = () => true) {
  const real = holder[name];
  holder[name] = function (...args) {
    if (isChange(...args)) count();
    return real.apply(this, args);
  };
}

const writes = (_path, flags = 'r') => flags !== 'r';
for (const name of ['mkdir', 'rename', 'link', 'copyFile', 'symlink', 'unlink', 'rmdir', 'rm']) {
  counted(fs.promises, name);
  counted(fs, `${name}Sync`);
}
counted(fs, 'writeFileSync');
const handle = await open(process.execPath);
const methods = Object.getPrototypeOf(handle);
await handle.close();
for (const name of ['writeFile', 'sync', 'truncate', 'chmod']) counted(methods, name);
counted(fs.promises, 'open', writes);
syncBuiltinESMExports();
