// The changelog is for people who use the package: what changed for them, in the changeset's own words.
module.exports = {
  getReleaseLine: async ({ summary }) => {
    const [first, ...rest] = summary.trim().split("\n");
    return [`- ${first}`, ...rest.map((line) => `  ${line}`.trimEnd())].join("\n");
  },
  getDependencyReleaseLine: async () => "",
};
