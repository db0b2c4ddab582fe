import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from './finding.ts';
import { copiesFrom, type InstalledPackage, namesFrom, packageFrom, projectOf } from './packages.ts';
import { isAtLeast, isInRange, majorOf } from './versions.ts';

/** Where packages are looked for, and which ones. */
export interface PackagePlaces {
  /** Folder of the agent, or the working folder. */
  readonly folder: string;
  /** Folder of this package. */
  readonly own: string;
  readonly version: string;
  /** Packages that users install, with their ranges. */
  readonly peers: Readonly<Record<string, string>>;
}

/** What the packages that users install are for. */
const uses: Readonly<Record<string, string>> = {
  openai: '--model openai:NAME',
  '@anthropic-ai/sdk': '--model anthropic:NAME',
  '@anthropic-ai/claude-agent-sdk': '--model claude-agent',
  '@agentclientprotocol/sdk': '--model acp:COMMAND',
  '@modelcontextprotocol/client': '--mcp FILE',
  '@modelcontextprotocol/server': 'wink serve',
  '@modelcontextprotocol/node': 'wink serve --http',
  '@opentelemetry/api': '--otel',
  '@pydantic/monty': 'evaluation of Python',
  'just-bash': '--sandbox virtual',
  pg: 'journal in PostgreSQL',
  'quickjs-emscripten': 'evaluation of JavaScript',
  vitest: 'matchers in tests',
};

/** The commands of the package manager of a project, by its lock file. */
function managerOf(project: string): {
  readonly add: string;
  readonly dedupe: string;
  readonly list: string;
} {
  return existsSync(join(project, 'pnpm-lock.yaml'))
    ? { add: 'pnpm add', dedupe: 'pnpm dedupe', list: 'pnpm why' }
    : { add: 'npm install', dedupe: 'npm dedupe', list: 'npm ls' };
}

/** Copies of what has to be there once. */
export function checkCopies({ folder, own, version }: PackagePlaces): readonly Finding[] {
  const project = projectOf(folder);
  const copies = copiesFrom(project, ['weakincentives', 'zod']);
  const { dedupe, list } = managerOf(project);
  const library = copies.get('weakincentives') ?? [];
  const [installed] = library;
  // Who has installed the command elsewhere, such as for all projects, has another copy.
  const isOther = installed !== undefined && library.length === 1 && installed.folder !== own;
  const zod = copies.get('zod') ?? [];
  const majors = new Set(zod.map((each) => majorOf(each.version)));
  return [
    library.length > 1
      ? {
          status: 'warning',
          subject: `${library.length} copies of weakincentives`,
          about: versionsOf(library),
          repair: dedupe,
          isNeeded: true,
        }
      : isOther && installed.version !== version
        ? {
            status: 'warning',
            subject: `weakincentives ${version}`,
            about: `this project has ${installed.version}`,
            repair: 'npx wink',
          }
        : { status: 'ok', subject: `weakincentives ${version}`, about: 'one copy' },
    ...(zod.length > 1
      ? [
          {
            status: 'warning' as const,
            subject: `${zod.length} copies of zod`,
            about: versionsOf(zod),
            // Versions of one major can become one; otherwise one has to know who asks for the other.
            repair: majors.size === 1 ? dedupe : `${list} zod`,
          },
        ]
      : []),
  ];
}

function versionsOf(copies: readonly InstalledPackage[]): string {
  return copies.map(({ version }) => version).join(', ');
}

/** The packages that users install. `needed`: those that an agent does not run without. */
export function checkPeers(
  { folder, own, peers }: PackagePlaces,
  needed: ReadonlySet<string> = new Set(),
): readonly Finding[] {
  const { add } = managerOf(projectOf(folder));
  return Object.entries(peers)
    .sort(([left], [right]) => order(left) - order(right))
    .map(([name, range]): Finding => {
      // Where the library loads it from; it is beside the library, or where the agent finds it.
      const found = packageFrom(folder, name) ?? packageFrom(own, name);
      const about = uses[name] ?? 'optional';
      const isNeeded = needed.has(name);
      if (found === undefined) {
        const wanted = /^\^\S+$/.test(range) ? `${name}@${range}` : name;
        return { status: 'missing', subject: name, about, repair: `${add} ${wanted}`, isNeeded };
      }
      const subject = `${name} ${found.version}`;
      if (isInRange(found.version, range)) return { status: 'ok', subject, about };
      return {
        status: 'warning',
        subject,
        about: `${about}, needs ${range}`,
        repair: `${add} "${name}@${range}"`,
        isNeeded,
      };
    });
}

/** What the interface of models is in, which every provider package of the AI SDK depends on: from 3 on for AI SDK 6 and later. */
const modelInterface = { name: '@ai-sdk/provider', least: '3' };
/** Packages that have the interface and no models of a vendor. */
const partsOfAiSdk: ReadonlySet<string> = new Set(['gateway', 'provider', 'provider-utils']);

/** The provider packages of the AI SDK. None is a peer: an agent, or `--model`, names the one that it uses. */
export function checkAiSdk({ folder, own }: PackagePlaces): readonly Finding[] {
  const { add } = managerOf(projectOf(folder));
  const about = '--model ai-sdk:PACKAGE';
  const providers = [...new Set([folder, own].flatMap((place) => namesFrom(place, '@ai-sdk')))]
    .filter((name) => !partsOfAiSdk.has(name))
    .map((name) => `@ai-sdk/${name}`);
  const findings = providers.flatMap((name): readonly Finding[] => {
    const found = packageFrom(folder, name) ?? packageFrom(own, name);
    if (found === undefined || !found.dependencies.includes(modelInterface.name)) return [];
    const subject = `${name} ${found.version}`;
    const { version = '' } = packageFrom(found.folder, modelInterface.name) ?? {};
    if (version === '' || isAtLeast(version, modelInterface.least)) return [{ status: 'ok', subject, about }];
    const repair = `${add} ${name}@latest`;
    return [{ status: 'warning', subject, about: 'older than AI SDK 6', repair }];
  });
  return findings.length > 0
    ? findings
    : [{ status: 'missing', subject: 'AI SDK', about, repair: `${add} @ai-sdk/google` }];
}

function order(name: string): number {
  const place = Object.keys(uses).indexOf(name);
  return place < 0 ? Number.MAX_SAFE_INTEGER : place;
}
