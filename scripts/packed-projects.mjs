// What scripts share that try the packed package in projects of their own: a folder for them, an environment without anything
// of the user, packing, programs without a network, and how each step went.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { root } from './peers.mjs';

const pnpmVersion = '10.34.9';
/** How long a program runs before it counts as hanging. */
const deadlockMs = 15 * 60_000;
/** Nothing that a package brings runs while it is installed. */
const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];

/** @typedef {{ ok: boolean, stdout: string, output: string }} Outcome of a program */

/** The projects of a script, until it ends. */
export class PackedProjects {
  /** The folder that all of them are in. @readonly @type {string} */
  base;
  /** Nothing of the environment reaches a project but this: no key, and no folder of the user but the caches. */
  #environment;
  #passed = 0;
  #failed = 0;

  /** @param {string} name */
  constructor(name) {
    this.base = mkdtempSync(join(tmpdir(), `wink-${name}-`));
    this.#environment = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TMPDIR: process.env['TMPDIR'],
      WINK_CHROMIUM: process.env['WINK_CHROMIUM'],
      XDG_STATE_HOME: join(this.base, 'state'),
      XDG_CACHE_HOME: join(this.base, 'cache'),
      NO_COLOR: '1',
      CI: '1',
      NEXT_TELEMETRY_DISABLED: '1',
    };
  }

  /**
   * Runs the body, removes the projects, and says how many steps passed; the process ends with 1 when one failed.
   * @param {string | undefined} summary a file for `{ passed, failed }`
   * @param {() => Promise<void>} body
   */
  async end(summary, body) {
    try {
      await body();
    } finally {
      rmSync(this.base, { recursive: true, force: true });
    }
    console.log(`${this.#passed} passed, ${this.#failed} failed`);
    if (summary !== undefined)
      writeFileSync(summary, JSON.stringify({ passed: this.#passed, failed: this.#failed }));
    process.exitCode = this.#failed > 0 ? 1 : 0;
  }

  /** Builds the package and packs it. @param {string} [folder] of another package @returns {Promise<string>} the file */
  async pack(folder = root) {
    await this.demand(process.execPath, [join(root, 'scripts/build.mjs')], root);
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', this.base];
    const [{ filename }] = JSON.parse(await this.demand('npm', args, folder));
    return join(this.base, filename);
  }

  /**
   * Installs what a project names, as its lock file says, and packages that it does not name.
   * @param {string} project
   * @param {readonly string[]} packages
   * @param {string} [manager]
   */
  install(project, packages = [], manager = 'npm') {
    if (manager !== 'npm') {
      const command = packages.length > 0 ? 'add' : 'install';
      return this.run(manager, [command, '--prefer-offline', '--reporter=append-only', ...packages], project);
    }
    const unnamed = packages.length > 0 ? ['--no-save', ...packages] : [];
    return this.run('npm', ['install', ...quiet, ...unnamed], project);
  }

  /** The package managers that there are: npm, and pnpm where the registry has it; its folder gets into the path. */
  async managers() {
    const folder = join(this.base, 'pnpm');
    mkdirSync(folder);
    const args = ['install', ...quiet, '--prefix', folder, `pnpm@${pnpmVersion}`];
    const { ok } = await this.run('npm', args, this.base);
    const bin = join(folder, 'node_modules/.bin');
    if (ok && existsSync(join(bin, 'pnpm'))) {
      this.#environment.PATH = `${bin}${delimiter}${this.#environment.PATH}`;
      return ['npm', 'pnpm'];
    }
    console.log('skip pnpm: it cannot be installed from the registry');
    return ['npm'];
  }

  /**
   * The words before a command that leave it nothing of the network but this machine; none where that is not possible, and
   * says so.
   */
  async networkCut() {
    const words = ['unshare', '--map-root-user', '--net'];
    const own = ['sh', '-c', '(ip link set lo up || busybox ip link set lo up) && exec "$@"', 'sh'];
    const [command = '', ...args] = [...words, ...own];
    if ((await this.run(command, [...args, 'true'], this.base)).ok) return [command, ...args];
    console.log('skip the cut of the network: unshare and ip cannot make a namespace here');
    return [];
  }

  /** @param {string} node */
  async versionOf(node) {
    return (await this.demand(node, ['--version'], this.base)).trim();
  }

  /**
   * Says how a step went.
   * @param {string} name
   * @param {Promise<Pick<Outcome, 'ok' | 'output'>>} step
   * @returns {Promise<boolean>} whether it passed.
   */
  async report(name, step) {
    const startedAtMs = Date.now();
    const { ok, output } = await step;
    console.log(`${ok ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - startedAtMs) / 1000).toFixed(1)} s)`);
    if (ok) this.#passed += 1;
    else {
      this.#failed += 1;
      console.log(output.trimEnd().replace(/^/gm, '     '));
    }
    return ok;
  }

  /**
   * @param {string} command
   * @param {readonly string[]} args
   * @param {string} cwd
   * @param {string} [node] which is first in the path
   * @returns {Promise<Outcome>}
   */
  run(command, args, cwd, node) {
    const { PATH: path } = this.#environment;
    const env = {
      ...this.#environment,
      PATH: node === undefined ? path : `${dirname(node)}${delimiter}${path}`,
    };
    const shell = command === 'npm' && process.platform === 'win32';
    const limit = { timeout: deadlockMs, killSignal: /** @type {const} */ ('SIGKILL') };
    const child = spawn(command, args, { cwd, env, shell, stdio: ['ignore', 'pipe', 'pipe'], ...limit });
    let stdout = '';
    let output = '';
    child.stdout.on('data', (data) => {
      stdout += data;
      output += data;
    });
    child.stderr.on('data', (data) => (output += data));
    return new Promise((resolve) => {
      child.on('error', (error) => resolve({ ok: false, stdout, output: error.message }));
      child.on('close', (code) => resolve({ ok: code === 0, stdout, output }));
      // What it has started may hold its output for ever.
      child.on('exit', (_code, signal) => {
        const ended = `${output}\n${command} was ended by ${signal}; it has ${deadlockMs / 60_000} minutes.`;
        if (signal !== null) resolve({ ok: false, stdout, output: ended });
      });
    });
  }

  /** @param {string} command @param {readonly string[]} args @param {string} cwd */
  async demand(command, args, cwd) {
    const { ok, stdout, output } = await this.run(command, args, cwd);
    if (!ok) throw new Error(output);
    return stdout;
  }
}

/**
 * Does a piece of work for each item, two at a time: most of the time of an installation is waiting.
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => Promise<void>} work
 */
export async function twoAtATime(items, work) {
  const waiting = items.values();
  await Promise.all(
    [1, 2].map(async () => {
      for (const item of waiting) await work(item);
    }),
  );
}
