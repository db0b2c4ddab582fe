export { defaultInstructionFiles, ProjectInstructions, readInstructions } from './project-instructions.ts';
export {
  type ProjectInstructionsSectionOptions,
  projectInstructionsSection,
} from './project-instructions-section.ts';
export {
  type ReadSkillsOptions,
  readSkills,
  readSkillsOf,
  type SkillOrigin,
  skillFile,
  skillRoots,
} from './read-skills.ts';
export { refuseSkill, type Skill, skillLimits } from './skill.ts';
export { SkillFiles, skillsRoot } from './skill-files.ts';
export { type SkillsSectionOptions, skillsSection } from './skills-section.ts';
