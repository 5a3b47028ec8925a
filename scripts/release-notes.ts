/** The changelog's section for one version, without its heading. */
export function releaseNotes(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.split("\n", 1)[0]?.trim() === version);
  const notes = section?.slice(section.indexOf("\n")).trim();
  if (!notes) throw new Error(`Expected CHANGELOG.md to say what changed in ${version}.`);
  return notes;
}
