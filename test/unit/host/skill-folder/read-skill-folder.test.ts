import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  binding,
  Filesystem,
  FilesystemError,
  MemoryFilesystem,
  MissingPeerError,
  PromptValidationError,
  promptTemplate,
  section,
} from 'weakincentives';
import { openHostFilesystem, readSkillFolder } from 'weakincentives/node';
import { scriptedAdapter } from 'weakincentives/testing';
import { readSkills, type Skill, skillsSection } from 'weakincentives/tools';
import { readSkillsOf } from '../../../../src/suite/skills/index.ts';
import { evaluationFailure } from '../../../support/failure.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { testFolders } from '../host-filesystem/host-workspace.ts';
import { tempFolder } from '../temp-folder.ts';

const document = (name: string, more = '', body = 'Do it.\n') =>
  `---\nname: ${name}\ndescription: Use ${name}.\n${more}---\n${body}`;

const namesOf = (skills: readonly Skill[]): readonly string[] => skills.map(({ name }) => name);

/** Reads from the host, and from a file system: both say the same. */
async function readBoth(files: Readonly<Record<string, string | Uint8Array>>): Promise<readonly string[]> {
  const names = namesOf(await readSkillFolder({ folder: tempFolder(files) }));
  expect(namesOf(await readSkills({ filesystem: new MemoryFilesystem({ files }) }))).toEqual(names);
  return names;
}

/** The message with which both refuse a folder of one skill named `pdf`. */
async function refusal(skill: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const files = { 'pdf/SKILL.md': skill, ...more };
  const messageOf = (reading: Promise<unknown>): Promise<string> =>
    reading.then(
      () => 'not refused',
      (error: unknown) => {
        expect(error).toBeInstanceOf(PromptValidationError);
        return (error as Error).message;
      },
    );
  const message = await messageOf(readSkillFolder({ folder: tempFolder(files) }));
  expect(await messageOf(readSkills({ filesystem: new MemoryFilesystem({ files }) }))).toBe(message);
  return message;
}

describe('where skills are', () => {
  it.each(['.claude/skills', '.codex/skills', '.agents/skills', 'skills'])(
    'a project has them in %s',
    async (root) => {
      const files = {
        [`${root}/pdf/SKILL.md`]: document('pdf'),
        [`${root}/notes/SKILL.md`]: document('notes'),
        [`${root}/README.md`]: 'No skill.',
        [`${root}/drafts/idea.md`]: 'No skill either.',
        'src/deep/SKILL.md': document('deep'),
        'SKILLS.md': 'x',
      };
      expect(await readBoth(files)).toEqual(['notes', 'pdf']);
    },
  );

  it('a project has them in several of these folders', async () => {
    const files = {
      '.claude/skills/pdf/SKILL.md': document('pdf'),
      '.codex/skills/csv/SKILL.md': document('csv'),
      '.agents/skills/notes/SKILL.md': document('notes'),
      'skills/mail/SKILL.md': document('mail'),
    };
    expect(await readBoth(files)).toEqual(['pdf', 'csv', 'notes', 'mail']);
  });

  it('a folder has them in its folders, or is one itself', async () => {
    expect(await readBoth({ 'pdf/SKILL.md': document('pdf'), 'csv/SKILL.md': document('csv') })).toEqual([
      'csv',
      'pdf',
    ]);
    const folder = tempFolder({ 'pdf/SKILL.md': document('pdf'), 'pdf/scripts/a.sh': 'echo a' });
    const [skill] = await readSkillFolder({ folder: join(folder, 'pdf') });
    expect(skill).toMatchObject({ name: 'pdf', description: 'Use pdf.', body: 'Do it.\n' });
    expect(Object.keys(skill?.files ?? {})).toEqual(['scripts/a.sh']);
    expect(skill?.folder).toMatch(/pdf$/u);
  });

  it('a folder without them, and none, is refused', async () => {
    await expect(readSkillFolder({ folder: tempFolder({ a: 'a' }) })).rejects.toThrow(
      'There are no skills in',
    );
    await expect(readSkills({ filesystem: new MemoryFilesystem() })).rejects.toThrow(
      'There are no skills in',
    );
    await expect(readSkillFolder({ folder: join(tempFolder(), 'none') })).rejects.toBeInstanceOf(
      FilesystemError,
    );
  });
});

describe('what a skill says', () => {
  it('is YAML of any form, and Markdown as it is', async () => {
    const files = {
      'pdf/SKILL.md': [
        '---',
        'name: "pdf"',
        'description: >-',
        '  Fills in forms.',
        '  For PDF files.',
        'metadata: { author: me, version: 1 }',
        '---',
        '# PDF',
        '',
        '---',
        'name: other',
        '---',
        '',
      ].join('\r\n'),
    };
    const [skill] = await readSkills({ filesystem: new MemoryFilesystem({ files }) });
    expect(skill?.description).toBe('Fills in forms. For PDF files.');
    expect(skill?.body).toBe('# PDF\r\n\r\n---\r\nname: other\r\n---\r\n');
  });

  it('is read past where it is not used, which is logged once', async () => {
    const files = {
      'pdf/SKILL.md': document('pdf', 'model: x\nallowed-tools: Bash Read\nlicense: MIT\n'),
      'csv/SKILL.md': document('csv', 'model: y\ndisable-model-invocation: true\n'),
    };
    const logger = recordingLogger();
    await readSkillFolder({ folder: tempFolder(files), logger });
    expect(logger.lines.map(({ fields }) => fields)).toEqual([
      {
        members: [
          { member: 'model', skills: ['csv', 'pdf'] },
          { member: 'disable-model-invocation', skills: ['csv'] },
        ],
      },
      { skills: ['pdf'] },
    ]);
  });

  it.each([
    ['no front matter', '# PDF\n', 'does not begin with a mapping in YAML'],
    ['an open front matter', '---\nname: pdf\n', 'does not begin with a mapping in YAML'],
    ['a list', '---\n- a\n---\n', 'is not a mapping'],
    ['nothing in it', '---\n---\n', 'does not begin with a mapping'],
    ['bad YAML', '---\nname: "pdf\n---\n', 'cannot be read'],
    ['a tag of its own', '---\nname: !mine pdf\ndescription: x\n---\n', 'cannot be read'],
    ['an alias', '---\nname: &a pdf\ndescription: *a\n---\n', 'cannot be read'],
    ['a member twice', '---\nname: pdf\nname: pdf\ndescription: x\n---\n', 'cannot be read'],
    ['a number as name', '---\nname: 1\ndescription: x\n---\n', 'it has no name'],
    ['a number as description', '---\nname: pdf\ndescription: 1\n---\n', 'it has no description'],
    ['a name of the prototype', '---\n__proto__: { name: pdf, description: x }\n---\n', 'it has no name'],
    [
      'another name than its folder',
      document('csv'),
      'its name is "csv", which is not the name of its folder',
    ],
    ['a name that is none', document('PDF'), 'must have 1 to 64 characters'],
    [
      'a long description',
      `---\nname: pdf\ndescription: ${'d'.repeat(1_025)}\n---\n`,
      'its description has 1,025',
    ],
    ['a long body', document('pdf', '', 'x'.repeat(20_001)), 'its text has 20,001 characters'],
    ['a long front matter', document('pdf', `x: ${'y'.repeat(70_000)}\n`), 'more than 65,536 bytes'],
    ['a deep front matter', document('pdf', `x: ${'['.repeat(30_000)}\n`), 'cannot be read'],
  ])('is refused by name: %s', async (_what, text, message) => {
    const refused = await refusal(text);
    expect(refused).toContain('The skill "pdf" cannot be used: ');
    expect(refused).toContain(message);
  });

  it('is refused where it is not text, or has too many files', async () => {
    const filesystem = new MemoryFilesystem({ files: { 'pdf/SKILL.md': new Uint8Array([0, 255]) } });
    await expect(readSkills({ filesystem })).rejects.toThrow('its SKILL.md is not text in UTF-8');
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`pdf/f${index}`, 'x']));
    expect(await refusal(document('pdf'), many)).toContain('it has more than 200 files');
  });

  it('is refused where two folders of a project have it', async () => {
    const files = { '.claude/skills/pdf/SKILL.md': document('pdf'), 'skills/pdf/SKILL.md': document('pdf') };
    await expect(readSkillFolder({ folder: tempFolder(files) })).rejects.toThrow(
      'The skill "pdf" cannot be used: there are two of this name, in ".claude/skills/pdf", "skills/pdf"',
    );
  });

  it('needs the package yaml, and says so', async () => {
    const filesystem = new MemoryFilesystem({ files: { 'pdf/SKILL.md': document('pdf') } });
    const load = () => Promise.reject(new Error('Cannot find package'));
    const error: unknown = await readSkillsOf({ filesystem }, { load }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MissingPeerError);
    expect(error).toHaveProperty('message', expect.stringContaining('npm install yaml'));
  });
});

describe('links', () => {
  it.each<[string, (folder: string) => void]>([
    ['a file', (folder) => symlinkSync('/etc/passwd', join(folder, 'skills/pdf/passwd'))],
    ['a folder', (folder) => symlinkSync('/etc', join(folder, 'skills/pdf/etc'))],
    ['one inside', (folder) => symlinkSync('SKILL.md', join(folder, 'skills/pdf/copy.md'))],
    ['a skill', (folder) => symlinkSync('../skills/pdf', join(folder, 'skills/other'))],
    [
      'a document',
      (folder) => {
        mkdirSync(join(folder, 'skills/other'));
        symlinkSync('../pdf/SKILL.md', join(folder, 'skills/other/SKILL.md'));
      },
    ],
    [
      'a folder of skills',
      (folder) => {
        mkdirSync(join(folder, '.claude'));
        symlinkSync('../skills', join(folder, '.claude/skills'));
      },
    ],
  ])('are refused by name: %s', async (_what, link) => {
    const folders = testFolders({ 'skills/pdf/SKILL.md': document('pdf') });
    link(folders.root);
    await expect(readSkillFolder({ folder: folders.root })).rejects.toThrow('links are not followed');
    await using filesystem = await openHostFilesystem(folders);
    await expect(readSkills({ filesystem })).rejects.toThrow(/links are not followed/u);
  });

  it('a file that is too large is refused', async () => {
    const folder = tempFolder({ 'pdf/SKILL.md': document('pdf'), 'pdf/big': '' });
    truncateSync(join(folder, 'pdf/big'), 5_000_000);
    await expect(readSkillFolder({ folder })).rejects.toThrow(
      'The skill "pdf" cannot be used: pdf/big has more than',
    );
  });
});

describe('trust', () => {
  const task = section({ title: 'Task', key: 'task', template: 'Do it.' });

  async function run(folders: { readonly root: string }, from: readonly Skill[], trust?: 'workspace') {
    await using filesystem = await openHostFilesystem(folders);
    const prompt = promptTemplate({
      ns: 'test',
      key: 'trust',
      resources: [binding(Filesystem, { instance: filesystem })],
      sections: [task, skillsSection(trust === undefined ? { from } : { from, trust })],
    }).bind();
    return await scriptedAdapter([{ text: 'ok' }]).evaluate(prompt);
  }

  it('is needed for skills that are in the workspace, and for no others', async () => {
    const folders = testFolders({ '.claude/skills/pdf/SKILL.md': document('pdf') });
    const inside = await readSkillFolder({ folder: folders.root });
    const refused = await evaluationFailure(run(folders, inside));
    expect(refused.message).toContain('The skill "pdf" cannot be used');
    expect(refused.message).toContain("set trust: 'workspace'");
    expect((await run(folders, inside, 'workspace')).text).toBe('ok');
    const outside = await readSkillFolder({ folder: tempFolder({ 'pdf/SKILL.md': document('pdf') }) });
    expect((await run(folders, outside)).text).toBe('ok');
  });

  it('is needed where a link leads into the workspace', async () => {
    const folders = testFolders({ 'kept/pdf/SKILL.md': document('pdf') });
    const link = join(tempFolder(), 'link');
    symlinkSync(join(folders.root, 'kept'), link);
    const skills = await readSkillFolder({ folder: link });
    expect((await evaluationFailure(run(folders, skills))).message).toContain("trust: 'workspace'");
  });

  it('is for what was read: later writes do not count', async () => {
    const folders = testFolders({ 'skills/pdf/SKILL.md': document('pdf') });
    const [skill] = await readSkillFolder({ folder: folders.root });
    writeFileSync(join(folders.root, 'skills/pdf/SKILL.md'), document('pdf', '', 'Other.'));
    expect(skill?.body).toBe('Do it.\n');
  });
});
