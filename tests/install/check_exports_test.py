#!/usr/bin/env python3
"""Each rule of check_exports.py, broken once."""

import unittest

from check_exports import Declared, Library, check, declared_in, name_of

HEADER = """
#pragma once
#define HOLDFAST_EXPORT nothing(
namespace holdfast {
// HOLDFAST_EXPORT void InAComment();
class Hidden;
struct Plain { int x; };
class HOLDFAST_EXPORT Face : public Plain {
 public:
  virtual ~Face() = default;
};
class Watch {
 public:
  HOLDFAST_EXPORT Watch(Watch&&) noexcept;
  HOLDFAST_EXPORT Watch& operator=(Watch&&) noexcept;
  HOLDFAST_EXPORT ~Watch();
  HOLDFAST_EXPORT static absl::StatusOr<std::shared_ptr<Watch>> Create(
      Options options = {});
  void Inline() { if (true) { return; } }
  class HOLDFAST_EXPORT Inner {
  };
};
HOLDFAST_EXPORT LogSink& StderrLog();
HOLDFAST_EXPORT extern const Instrument kConnected;
}
"""


def library(**changed):
    parts = {"name": "libholdfast.so.0", "exported": {"holdfast::StderrLog()": "T"},
             "wanted": set(), "hidden": {}, "needs": {"libgrpc++.so.1"}}
    return Library(**{**parts, **changed})


def control(**changed):
    parts = {"name": "libholdfast-control.so.0",
             "exported": {"holdfast::ControlPlane::Create(holdfast::ControlPlaneOptions)": "T"},
             "wanted": {"holdfast::StderrLog()", "grpc::Thing()"}, "hidden": {},
             "needs": {"libholdfast.so.0", "libyaml-cpp.so.0.7"}}
    return Library(**{**parts, **changed})


def mistakes(one=None, other=None):
    return check(one or library(), other or control(), Declared({"StderrLog"}, {"LogSink"}),
                 Declared(set(), {"ControlPlane"}))


class Exports(unittest.TestCase):
    def test_headers_are_read(self):
        found = declared_in(HEADER)
        self.assertEqual(found.classes, {"Face", "Watch::Inner"})
        self.assertEqual(found.things,
                         {"Watch::Watch", "Watch::operator=", "Watch::~Watch", "Watch::Create",
                          "StderrLog", "kConnected"})

    def test_names_are_read(self):
        for symbol, name in (
                ("holdfast::Watch::operator=(holdfast::Watch&&)", "Watch::operator="),
                ("holdfast::Watch::~Watch()", "Watch::~Watch"),
                ("holdfast::PrometheusMetrics::Text[abi:cxx11]() const", "PrometheusMetrics::Text"),
                ("typeinfo name for holdfast::LogSink", "LogSink"), ("holdfast::kOne", "kOne"),
                ("std::vector<holdfast::Watch>::~vector()", None),
                ("envoy::config::cluster::v3::Cluster::Cluster()", None)):
            self.assertEqual(name_of(symbol), name)

    def test_nothing_is_wrong(self):
        self.assertEqual(mistakes(), [])
        self.assertEqual(
            mistakes(library(exported={"holdfast::StderrLog()": "T",
                                       "vtable for holdfast::LogSink": "V"}),
                     control(hidden={"vtable for holdfast::LogSink": "V"})), [])

    def test_what_is_not_ours_is_found(self):
        self.assertEqual(
            mistakes(library(exported={"holdfast::StderrLog()": "T", "std::any::~any()": "W"})),
            ["libholdfast.so.0 exports what is not holdfast's: std::any::~any()"])

    def test_what_no_header_marks_is_found(self):
        exported = {"holdfast::StderrLog()": "T", "holdfast::wire::Scan()": "T"}
        self.assertEqual(
            mistakes(library(exported=exported)),
            ["libholdfast.so.0 exports what none of its headers marks: holdfast::wire::Scan()"])

    def test_what_a_header_marks_in_vain_is_found(self):
        self.assertEqual(
            mistakes(library(exported={}), control(wanted=set())),
            ["libholdfast.so.0 lacks holdfast::StderrLog, which a header marks (is its file among "
             "the ROOTS in cmake/HoldfastLibraries.cmake?)"])

    def test_a_wish_for_what_is_not_exported_is_found(self):
        self.assertEqual(
            mistakes(other=control(wanted={"holdfast::Quoted(absl::string_view)"})),
            ["libholdfast-control.so.0 wants what libholdfast.so.0 does not export: "
             "holdfast::Quoted(absl::string_view)"])

    def test_a_second_copy_is_found(self):
        self.assertEqual(
            mistakes(other=control(hidden={"holdfast::StderrLog()": "t"})),
            ["libholdfast-control.so.0 has a copy of holdfast::StderrLog(), which libholdfast.so.0 "
             "exports"])

    def test_wrong_needs_are_found(self):
        self.assertEqual(
            mistakes(library(needs={"libyaml-cpp.so.0.7"}), control(needs=set())),
            ["libholdfast-control.so.0 does not need libholdfast.so.0",
             "libholdfast.so.0 needs libyaml-cpp.so.0.7, which is the control plane's"])


if __name__ == "__main__":
    unittest.main()
