// happy-dom's fetch keeps the rules of a page, which may not read what another origin answers.
export default {
  test: { environmentOptions: { happyDOM: { settings: { fetch: { disableSameOriginPolicy: true } } } } },
};
