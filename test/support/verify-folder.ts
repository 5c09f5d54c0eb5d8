import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCli } from '../../src/commands.js';
import { fakeIo } from './fake-io.js';

interface Report {
  readonly code: number;
  readonly status: string;
  readonly mismatches: readonly Readonly<Record<string, string>>[];
  readonly failures: readonly Readonly<Record<string, string>>[];
}

/** A folder in which tests lock packages and verify the lockfile. */
export class VerifyFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'verify-'));
  readonly lockfile = join(this.path, 'xpkg.lock.yaml');

  remove(): void {
    rmSync(this.path, { recursive: true });
  }

  async run(command: string, ...args: readonly string[]) {
    const io = fakeIo({ cwd: this.path });
    const code = await runCli([command, ...args], io);
    return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
  }

  /**
   * Returns the report of `verify -o json` about the lockfile only; edits would also change the
   * manifests.
   */
  async report(...args: readonly string[]): Promise<Report> {
    const { code, stdout } = await this.run('verify', '-o', 'json', '--no-bundle', ...args);
    return { ...(JSON.parse(stdout) as Report), code };
  }

  /** Changes the lockfile like an attacker or a careless user; throws if nothing changes. */
  async editLock(from: RegExp, to: string): Promise<void> {
    const text = await readFile(this.lockfile, 'utf8');
    const edited = text.replace(from, to);
    expect(edited).not.toBe(text);
    await writeFile(this.lockfile, edited);
  }
}
