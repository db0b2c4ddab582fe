/** Names of files that are notable in the root, lower case, without extension. */
const rootStems: ReadonlySet<string> = /* @__PURE__ */ new Set([
  'readme',
  'license',
  'licence',
  'copying',
  'contributing',
  'changelog',
  'security',
  'codeowners',
  'dockerfile',
  'containerfile',
  'jenkinsfile',
  'tsconfig',
  'makefile',
  'justfile',
]);

/** Whole names of files that are notable in the root, lower case. */
const rootNames: ReadonlySet<string> = /* @__PURE__ */ new Set([
  'package.json',
  'pyproject.toml',
  'setup.py',
  'requirements.txt',
  'cargo.toml',
  'go.mod',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'gemfile',
  'composer.json',
  'compose.yaml',
  'compose.yml',
  'docker-compose.yaml',
  'docker-compose.yml',
  'azure-pipelines.yml',
  '.gitlab-ci.yml',
  '.travis.yml',
  '.editorconfig',
]);

/** Names that are notable in every directory: what agents are asked to read. */
const anywhere: ReadonlySet<string> = /* @__PURE__ */ new Set(['AGENTS.md', 'CLAUDE.md', 'SKILL.md']);

/** Directories whose files configure continuous integration. */
const ciDirectories: ReadonlySet<string> = /* @__PURE__ */ new Set(['.github/workflows', '.circleci', '.ci']);

/** Whether a file is named in a digest, by its directory and name. */
export function isNotable(directory: string, name: string): boolean {
  if (anywhere.has(name) || ciDirectories.has(directory)) return true;
  if (directory !== '.') return false;
  const lower = name.toLowerCase();
  return rootNames.has(lower) || rootStems.has(lower.split('.')[0] ?? '');
}
