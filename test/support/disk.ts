import type * as fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type * as promises from 'node:fs/promises';
import { basename } from 'node:path';

/** A call to the file system: `fsync .x.1f.tmp`. */
export interface DiskCall {
  readonly what: 'mkdir' | 'open' | 'write' | 'fsync' | 'rename' | 'link' | 'copy' | 'read' | 'rm';
  readonly path: string;
  readonly flags?: string | undefined;
}

/**
 * The file system under test, used through `vi.mock('node:fs', …)`. Calls are recorded and passed
 * to the real file system, or fail with the code that `fault` returns.
 */
export const disk = {
  calls: [] as DiskCall[],
  fault: undefined as ((call: DiskCall) => string | undefined) | undefined,

  reset(): void {
    this.calls = [];
    this.fault = undefined;
  },

  /** Returns the calls; `names` replace random file names. */
  story(): readonly string[] {
    return this.calls.map(({ what, path }) => `${what} ${nameOf(path)}`);
  },
};

function nameOf(path: string): string {
  return basename(path).replace(
    /^\.(.+?)(?:\.[0-9a-f]{8}-\d+)?\.[0-9a-f]{12}\.(tmp|new|old)$/,
    '$1 ($2)',
  );
}

function told(call: DiskCall): void {
  disk.calls.push(call);
  const code = disk.fault?.(call);
  if (code === undefined) return;
  throw Object.assign(new Error(`${code}: made up, ${call.what} '${call.path}'`), {
    code,
    syscall: call.what,
  });
}

/** Wraps the functions of `node:fs/promises` that write. */
export function faultyPromises(real: typeof promises): typeof promises {
  return {
    ...real,
    mkdir: (async (path: string, options: object) => {
      told({ what: 'mkdir', path });
      return real.mkdir(path, options);
    }) as typeof real.mkdir,
    rename: async (from, to) => {
      told({ what: 'rename', path: String(to) });
      return real.rename(from, to);
    },
    link: async (from, to) => {
      told({ what: 'link', path: String(to) });
      return real.link(from, to);
    },
    copyFile: async (from, to) => {
      told({ what: 'copy', path: String(to) });
      return real.copyFile(from, to);
    },
    readFile: (async (path: string, options: object) => {
      told({ what: 'read', path });
      return real.readFile(path, options);
    }) as typeof real.readFile,
    open: async (path, flags, mode) => {
      told({ what: 'open', path: String(path), flags: String(flags) });
      return faultyHandle(await real.open(path, flags, mode), String(path));
    },
  };
}

function faultyHandle(handle: FileHandle, path: string): FileHandle {
  const writeFile = handle.writeFile.bind(handle);
  const sync = handle.sync.bind(handle);
  handle.writeFile = async (bytes) => {
    try {
      told({ what: 'write', path });
    } catch (error) {
      // A full disk accepts as many bytes as fit.
      await writeFile(Buffer.from(bytes as Uint8Array).subarray(0, 1));
      throw error;
    }
    return writeFile(bytes);
  };
  handle.sync = async () => {
    told({ what: 'fsync', path });
    return sync();
  };
  return handle;
}

/** Wraps the functions of `node:fs` that write locks. */
export function faultyFs(real: typeof fs): typeof fs {
  return {
    ...real,
    writeFileSync: (file, data, options) => {
      told({ what: 'write', path: String(file) });
      real.writeFileSync(file, data, options);
    },
    renameSync: (from, to) => {
      told({ what: 'rename', path: String(to) });
      real.renameSync(from, to);
    },
    linkSync: (from, to) => {
      told({ what: 'link', path: String(to) });
      real.linkSync(from, to);
    },
  };
}
