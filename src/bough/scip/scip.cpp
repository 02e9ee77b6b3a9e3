// SPDX-License-Identifier: Apache-2.0
#include "bough/scip/scip.hpp"

#include <objscip/objmessagehdlr.h>
#include <scip/scipdefplugins.h>

#include <cstdio>
#include <format>
#include <utility>

#include "bough/error.hpp"

namespace bough {
namespace {

constexpr std::size_t most_error_text = 8192;  // a run in numerical trouble repeats itself; the beginning tells the cause
thread_local std::string error_text;

void collect_error(void* /*data*/, FILE* /*file*/, const char* message) {
  if (message != nullptr && error_text.size() < most_error_text) error_text += message;
}

std::string_view name_of(SCIP_RETCODE code) {
  switch (code) {
    case SCIP_OKAY: return "SCIP_OKAY";
    case SCIP_ERROR: return "unspecified error";
    case SCIP_NOMEMORY: return "insufficient memory";
    case SCIP_READERROR: return "read error";
    case SCIP_WRITEERROR: return "write error";
    case SCIP_NOFILE: return "file not found";
    case SCIP_FILECREATEERROR: return "cannot create file";
    case SCIP_LPERROR: return "error in the LP solver";
    case SCIP_NOPROBLEM: return "no problem exists";
    case SCIP_INVALIDCALL: return "method called at the wrong time";
    case SCIP_INVALIDDATA: return "error in the input data";
    case SCIP_INVALIDRESULT: return "a method returned an invalid result";
    case SCIP_PLUGINNOTFOUND: return "a plugin was not found";
    case SCIP_PARAMETERUNKNOWN: return "unknown parameter";
    case SCIP_PARAMETERWRONGTYPE: return "parameter of another type";
    case SCIP_PARAMETERWRONGVAL: return "invalid value for a parameter";
    case SCIP_KEYALREADYEXISTING: return "key exists already";
    case SCIP_MAXDEPTHLEVEL: return "maximal branching depth exceeded";
    case SCIP_BRANCHERROR: return "no branching could be created";
    case SCIP_NOTIMPLEMENTED: return "not implemented";
  }
  return "unknown return code";
}

/// Passes everything SCIP would print on the terminal to a sink.
class SinkHandler final : public scip::ObjMessagehdlr {
 public:
  explicit SinkHandler(LogSink sink) : scip::ObjMessagehdlr(/*bufferedoutput=*/FALSE), sink_(std::move(sink)) {}

  /// Puts another sink in place and returns the one that was there.
  LogSink exchange(LogSink sink) { return std::exchange(sink_, std::move(sink)); }
  static SinkHandler& of(SCIP* scip) { return dynamic_cast<SinkHandler&>(*SCIPgetObjMessagehdlr(SCIPgetMessagehdlr(scip))); }

  SCIP_DECL_MESSAGEWARNING(scip_warning) override { pass(messagehdlr, file, msg); }
  SCIP_DECL_MESSAGEDIALOG(scip_dialog) override { pass(messagehdlr, file, msg); }
  SCIP_DECL_MESSAGEINFO(scip_info) override { pass(messagehdlr, file, msg); }

 private:
  void pass(SCIP_MESSAGEHDLR* /*handler*/, FILE* file, const char* text) {
    if (text == nullptr) return;
    if (file != nullptr && file != stdout && file != stderr) {
      (void)std::fputs(text, file);  // SCIP writes files (statistics, problems) through its message handler too
    } else if (sink_) {
      sink_(text);
    }
  }

  LogSink sink_;
};

}  // namespace

void ScipDeleter::operator()(SCIP* scip) const noexcept {
  // A failure to free is a leak at worst, and there is nobody to tell.
  (void)SCIPfree(&scip);
}

void Release::operator()(SCIP_VAR* var) const noexcept { (void)SCIPreleaseVar(scip, &var); }
void Release::operator()(SCIP_CONS* cons) const noexcept { (void)SCIPreleaseCons(scip, &cons); }

CapturedLog::CapturedLog(SCIP* scip) : scip_(scip), outer_(SinkHandler::of(scip).exchange([this](std::string_view text) { text_ += text; })) {}
CapturedLog::~CapturedLog() { (void)SinkHandler::of(scip_).exchange(std::move(outer_)); }

std::string take_scip_errors() { return std::exchange(error_text, {}); }

void check(SCIP_RETCODE code, std::source_location where) {
  if (code == SCIP_OKAY) return;
  std::string text = std::format("SCIP: {} (at {}:{})", name_of(code), where.file_name(), where.line());
  if (const std::string said = take_scip_errors(); !said.empty()) text += "\n" + said;
  throw Error(ExitCode::failure, text);
}

ScipPtr create_scip(LogSink log) {
  SCIPmessageSetErrorPrinting(collect_error, nullptr);
  SCIP* raw = nullptr;
  check(SCIPcreate(&raw));
  ScipPtr scip(raw);
  SCIP_MESSAGEHDLR* handler = nullptr;
  check(SCIPcreateObjMessagehdlr(&handler, new SinkHandler(std::move(log)), /*deleteobject=*/TRUE));
  const SCIP_RETCODE set = SCIPsetMessagehdlr(raw, handler);
  check(SCIPmessagehdlrRelease(&handler));  // SCIP holds its own reference now
  check(set);
  check(SCIPincludeDefaultPlugins(raw));
  check(SCIPsetBoolParam(raw, "misc/catchctrlc", FALSE));  // signals are the program's business: bough/stop.hpp
  return scip;
}

}  // namespace bough
