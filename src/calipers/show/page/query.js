// What a filter asks for: cause:missed label:"two words" -slice:night, and plain words.
// Causes and labels are asked of one and the same object; a facet that is asked for twice, of one object each.

const OF_OBJECTS = new Set(["cause", "label", "tag"]);
const TERM = /(-?)(?:([a-z]+):)?(?:"((?:[^"\\]|\\.)*)"?|(\S+))/gi;
const plain = (text) => shown(text).toLowerCase().replaceAll("_", " ");

function readQuery(text) {
  const terms = [];
  for (const [whole, minus, name, quoted, bare] of text.matchAll(TERM)) {
    const facet = name && facets().has(name.toLowerCase()) ? name.toLowerCase() : null;
    const value = quoted === undefined ? (bare ?? "") : quoted.replace(/\\(.)/g, "$1");
    const word = name && !facet ? whole.slice(minus.length) : value;
    if (word) terms.push({ facet, value: facet ? value : word, not: minus === "-" });
  }
  return terms.map((term) => ({ ...term, asked: plain(term.value), exact: !term.facet || isKnown(term) }));
}

function writeTerm({ facet, value, not = false }) {
  const clean = value !== "" && !/[\s"\\]/.test(value) && !(facet === null && /^-|:/.test(value));
  const words = clean ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
  return (not ? "-" : "") + (facet ? `${facet}:` : "") + words;
}

const writeQuery = (terms) => terms.map(writeTerm).join(" ");
const filterTerms = (filter) => Object.entries(filter).map(([facet, value]) => ({ facet, value }));
const filterText = (filter) => writeQuery(filterTerms(filter));

// A case that is only listed is written short
function unpacked(each) {
  if (!Array.isArray(each)) return each;
  const [key, errors, title, facets, folded] = each;
  return { key, errors, title: title || key, tags: [], ...(facets ? { facets } : {}), ...(folded ? { folded } : {}) };
}

// What can be asked of a case, found once: its own facets, and the kinds of objects that are wrong in it

function factsOf(each) {
  each.facts ??= {
    own: { key: [each.key, ...(each.facets?.key ?? [])].map(plain), tag: each.tags.map(plain) },
    errors: errorsOf(each).map(errorFacts),
  };
  for (const [name, values] of Object.entries(each.facets ?? {})) {
    if (!Object.hasOwn(each.facts.own, name)) each.facts.own[name] = values.map(plain);
  }
  return each.facts;
}

// An error of two objects can be asked for by both labels
function errorFacts({ cause, label, said, tags = [] }) {
  const labels = [label, said].filter((name) => name !== undefined).map(plain);
  return { cause: [plain(cause)], label: labels, tag: tags.map(plain) };
}

// Objects that are wrong, alike ones once, with how many there are
function errorsOf(each) {
  each.wrong ??= each.errors ? listedErrors(each.errors) : shapeErrors(each.shapes);
  return each.wrong;
}

function listedErrors(pairs) {
  const found = [];
  for (let k = 0; k < pairs.length; k += 2) found.push({ ...DATA.errors[pairs[k]], count: pairs[k + 1] });
  return found;
}

function shapeErrors(shapes) {
  const found = new Map();
  for (const shape of shapes.filter(isAskedFor)) {
    const error = errorOf(shape);
    const name = JSON.stringify(error);
    if (!found.has(name)) found.set(name, { ...error, count: 0 });
    found.get(name).count += stateOf(shape) === "wrong";
  }
  return [...found.values()];
}

const isAskedFor = (shape) => stateOf(shape) === "wrong" || Boolean(shape.tags?.length);
const errorOf = ({ cause = "", label, under = label, tags = [] }) => ({ cause, label: under, said: label, tags });

// All values of all facets
let facetValues = null;

function facets() {
  if (facetValues) return facetValues;
  facetValues = new Map(["cause", "label", "tag", "key"].map((name) => [name, new Set()]));
  for (const each of DATA.cases) {
    const { own, errors } = factsOf(each);
    for (const facts of [own, ...errors]) {
      for (const [name, some] of Object.entries(facts)) {
        if (!facetValues.has(name)) facetValues.set(name, new Set());
        some.forEach((value) => facetValues.get(name).add(value));
      }
    }
  }
  stripTags().forEach((tag) => facetValues.get("tag").add(plain(tag)));
  const slices = stripSlices().map(plain);
  if (slices.length) facetValues.set("slice", new Set([...(facetValues.get("slice") ?? []), ...slices]));
  return facetValues;
}

const isKnown = ({ facet, value }) => facets().get(facet).has(plain(value));

// A value that is written in full is that value; a part of one stands for all that have it
function says(facts, { facet, asked, exact }) {
  const own = Object.hasOwn(facts, facet) ? facts[facet] : [];
  return own.some((value) => (exact ? value === asked : value.includes(asked)));
}

function fits(each, terms) {
  const { own, errors } = factsOf(each);
  const ofObject = [];
  for (const term of terms) {
    const asked = OF_OBJECTS.has(term.facet);
    const there = term.facet === null ? caseText(each).includes(term.value.toLowerCase()) : says(own, term);
    if (asked && !there && !term.not) ofObject.push(term);
    else if ((there || (asked && errors.some((error) => says(error, term)))) === term.not) return false;
  }
  return objectGroups(ofObject).every((group) => errors.some((error) => group.every((term) => says(error, term))));
}

// Terms that one object has to satisfy together
function objectGroups(terms) {
  const twice = (term) => terms.some((other) => other !== term && other.facet === term.facet);
  const shared = terms.filter((term) => !twice(term));
  const repeated = terms.filter(twice);
  return repeated.length ? repeated.map((term) => [...shared, term]) : shared.length ? [shared] : [];
}

function casesWith(text) {
  const terms = readQuery(text);
  return terms.length ? DATA.cases.filter((each) => fits(each, terms)) : DATA.cases;
}

// The objects of a drawn case that the filter looks for
function isPicked(shape, terms) {
  const facts = errorFacts(errorOf(shape));
  facts.tag.push(...facts.cause, plain(shape.label)); // a tag of the case may be either
  const groups = objectGroups(terms.filter((term) => OF_OBJECTS.has(term.facet) && !term.not));
  return groups.some((group) => group.every((term) => says(facts, term)));
}
