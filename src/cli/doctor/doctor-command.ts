import { readFileSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { present } from '../../core/internal/index.ts';
import type { DoctorRequest } from '../commands/doctor.ts';
import { type CliEnvironment, exitCodes, writeLines } from '../process/environment.ts';
import { printable } from '../process/plain-text.ts';
import { createTextStyle } from '../process/text-style.ts';
import { type AgentNeeds, checkAgent } from './check-agent.ts';
import { checkKeys } from './check-keys.ts';
import { checkNode, checkSqlite } from './check-node.ts';
import { checkPlatform, checkTerminal } from './check-output.ts';
import { checkAiSdk, checkCopies, checkPeers, type PackagePlaces } from './check-packages.ts';
import { checkSandboxes } from './check-sandboxes.ts';
import { checkState } from './check-state.ts';
import { checkTsconfig } from './check-tsconfig.ts';
import { type Finding, isBlocking } from './finding.ts';
import { findingLines } from './finding-lines.ts';
import { type Machine, thisMachine } from './machine.ts';

/** Columns of the table where the width of the output is unknown. */
const plainColumns = 80;
const minColumns = 40;

/**
 * Checks what this package needs and could use, and prints what it has found. It changes nothing, and prints no value of a variable.
 *
 * @returns the exit code: 1 when something is missing that is needed.
 * @throws {UsageError} for an agent that cannot be loaded.
 */
export async function doctorCommand(
  { agent, isJson }: DoctorRequest,
  environment: CliEnvironment,
  machine: Machine = thisMachine(environment),
): Promise<number> {
  const { cacheFolder, stdout, stderr, variables } = environment;
  const loaded = agent === undefined ? undefined : await machine.load(agent, cacheFolder);
  const needs = loaded === undefined ? undefined : await checkAgent(loaded, environment);
  const folder = agent === undefined ? machine.folder : dirname(resolve(agent));
  const findings = (await allFindings(folder, needs, environment, machine)).map(shown);

  if (isJson) writeLines(stdout, findings.map(jsonLine));
  else {
    const width = Math.max(minColumns, stdout.columns ?? plainColumns);
    writeLines(stdout, findingLines(findings, width, createTextStyle(stdout, variables)));
  }
  const blocking = findings.filter(isBlocking);
  if (blocking.length === 0) return exitCodes.done;
  const names = blocking.map(({ subject }) => subject).join(', ');
  stderr.write(`wink: to be repaired first: ${names}.\n`);
  return exitCodes.failed;
}

async function allFindings(
  folder: string,
  needs: AgentNeeds | undefined,
  environment: CliEnvironment,
  machine: Machine,
): Promise<readonly Finding[]> {
  const { packageFolder, variables, version } = environment;
  const places: PackagePlaces = {
    folder,
    own: realpathSync(fileURLToPath(packageFolder)),
    version,
    peers: peersIn(packageFolder),
  };
  const optional = [checkTsconfig(folder), checkPlatform(machine)];
  return [
    checkNode(machine),
    ...checkCopies(places),
    ...(needs?.findings ?? []),
    ...checkPeers(places, needs?.packages),
    ...checkAiSdk(places),
    checkKeys(variables),
    ...(await checkSqlite(machine, folder)),
    ...(await checkSandboxes(machine)),
    ...(await checkState(machine)),
    ...optional.filter((finding) => finding !== undefined),
    checkTerminal(environment),
  ];
}

function peersIn(packageFolder: URL): Readonly<Record<string, string>> {
  // Its own package.json.
  const manifest = JSON.parse(readFileSync(new URL('package.json', packageFolder), 'utf8')) as {
    readonly peerDependencies: Readonly<Record<string, string>>;
  };
  return manifest.peerDependencies;
}

/** Versions and messages come from files of others. */
function shown({ subject, about, repair, ...finding }: Finding): Finding {
  return {
    ...finding,
    subject: printable(subject),
    about: printable(about),
    ...present({ repair: repair === undefined ? undefined : printable(repair) }),
  };
}

function jsonLine({ status, subject, about, repair, isNeeded = false }: Finding): string {
  return JSON.stringify({ status, subject, about, ...present({ repair }), needed: isNeeded });
}
