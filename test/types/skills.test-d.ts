import { describe, expectTypeOf, it } from 'vitest';
import { promptTemplate } from 'weakincentives';
import { readSkillFolder } from 'weakincentives/node';
import { projectInstructionsSection, readSkills, type Skill, skillsSection } from 'weakincentives/tools';

describe('skillsSection', () => {
  const plain: Skill = { name: 'pdf', description: 'Fill in forms.', body: 'Do it.' };

  it('takes skills that a program made, and those that were read', () => {
    skillsSection({ from: [plain, { ...plain, files: { 'a.sh': 'echo', 'b.bin': new Uint8Array() } }] });
    expectTypeOf(readSkills).returns.resolves.toEqualTypeOf<readonly Skill[]>();
    expectTypeOf(readSkillFolder).returns.resolves.toEqualTypeOf<readonly Skill[]>();
    // @ts-expect-error A skill has a body.
    skillsSection({ from: [{ name: 'pdf', description: 'x' }] });
    // @ts-expect-error A folder is read first.
    skillsSection({ from: 'skills' });
  });

  it('trusts the workspace or nothing', () => {
    skillsSection({ from: [plain], trust: 'workspace' });
    // @ts-expect-error There is no such trust.
    skillsSection({ from: [plain], trust: true });
  });

  it('needs no params, and neither do instructions', () => {
    const sections = [skillsSection({ from: [plain] }), projectInstructionsSection({ files: ['AGENTS.md'] })];
    promptTemplate({ ns: 'types', key: 'skills', sections }).bind();
  });

  it('cannot change a skill', () => {
    // @ts-expect-error It is read-only.
    plain.body = 'Other.';
  });
});
