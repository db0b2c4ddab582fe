import { reasonOf } from '../process/errors.ts';
import type { Finding } from './finding.ts';
import type { Machine, ProgramEnd } from './machine.ts';

/** The sandboxes that need programs of the machine, and how they get the files. */
export async function checkSandboxes(machine: Machine): Promise<readonly Finding[]> {
  return Promise.all([checkBubblewrap(machine), checkPodman(machine), checkStaging(machine)]);
}

async function checkBubblewrap({ platform, run, tryBubblewrap }: Machine): Promise<Finding> {
  const about = '--sandbox bubblewrap';
  if (platform !== 'linux')
    return { status: 'missing', subject: 'bubblewrap', about: `${about}, needs Linux` };
  const end = await run('bwrap', ['--version']);
  if (!end.isFound)
    return { status: 'missing', subject: 'bubblewrap', about, repair: 'apt install bubblewrap' };
  const subject = `bubblewrap${versionIn(end)}`;
  const problem = await tryBubblewrap();
  if (problem === undefined) return { status: 'ok', subject, about: `${about}, unprivileged: yes` };
  const isKernel = /user namespace|userns/i.test(problem);
  return {
    status: 'warning',
    subject,
    about: isKernel ? `${about}: the system refuses user namespaces` : problem,
    repair: isKernel ? await namespacesLine(run) : 'apt install bubblewrap util-linux',
  };
}

/** The line for the switch that is off. */
async function namespacesLine(run: Machine['run']): Promise<string> {
  const valueOf = async (name: string): Promise<string> => {
    const { exitCode, stdout } = await run('cat', [`/proc/sys/${name.replaceAll('.', '/')}`]);
    return exitCode === 0 ? stdout.trim() : '';
  };
  if ((await valueOf('kernel.apparmor_restrict_unprivileged_userns')) === '1')
    return 'sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0';
  if ((await valueOf('kernel.unprivileged_userns_clone')) === '0')
    return 'sudo sysctl -w kernel.unprivileged_userns_clone=1';
  return 'sudo sysctl -w user.max_user_namespaces=15000';
}

async function checkPodman({ platform, run }: Machine): Promise<Finding> {
  const about = '--sandbox podman';
  const end = await run('podman', ['--version']);
  if (!end.isFound) {
    const repair = platform === 'darwin' ? 'brew install podman' : 'apt install podman';
    return { status: 'missing', subject: 'podman', about, repair };
  }
  const subject = `podman${versionIn(end)}`;
  const { exitCode } = await run('podman', ['info']);
  if (exitCode === 0) return { status: 'ok', subject, about };
  return {
    status: 'warning',
    subject,
    about: `${about}: it does not work for this user`,
    repair: platform === 'linux' ? 'podman info' : 'podman machine start',
  };
}

/** Commands work on a folder that is staged among the temporary files. */
async function checkStaging({ platform, tryStaging }: Machine): Promise<Finding> {
  const subject = 'staged folders';
  try {
    const { overlay, reflink } = await tryStaging();
    const about = `overlay: ${overlay ? 'yes' : 'no'}, reflink: ${reflink ? 'yes' : 'no'}`;
    if (overlay || reflink) return { status: 'ok', subject, about };
    const slower = `${about}: staged copies are slower`;
    return platform === 'linux'
      ? { status: 'warning', subject, about: slower, repair: 'set TMPDIR to a folder on XFS or Btrfs' }
      : { status: 'warning', subject, about: slower };
  } catch (error) {
    const repair = 'set TMPDIR to a folder of yours';
    return { status: 'warning', subject, about: reasonOf(error), repair };
  }
}

/** The version that a program has printed, with a blank before it. */
function versionIn({ stdout }: ProgramEnd): string {
  const [version] = /\d+\.\d+(\.\d+)?/.exec(stdout) ?? [];
  return version === undefined ? '' : ` ${version}`;
}
